import { type AuditCheckpoint, genesisHash } from '@mandate/contract/audit-chain'
import {
  type ChainHead,
  checkpointHolds,
  checkpointText,
  entryHashIfAny,
  nextChainHash,
} from '@mandate/proofs/audit-chain'
import { brokenConstraint, type Database, noTenant, sqlState, type Tx } from '../db/database.ts'
import { DatabaseAway } from '../db/database-away.ts'
import type { EntryKeys } from '../security/entry-keys.ts'
import type { SigningKey } from '../security/signing-key.ts'
import { hasRefusedByOwnKey, queueAgain, type Refused, storeRefused } from './refused-queries.ts'
import {
  findHead,
  findLastCheckpoint,
  findPending,
  findTenantsToSeal,
  hasCheckpointBy,
  hasPending,
  lockTrail,
  type PendingRow,
  removeFromQueue,
  writeSeals,
} from './seal-queries.ts'

/** Entries of one tenant per batch. One signature covers the batch. */
export const batchSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** The keys that sealing needs. */
export interface SealingKeys {
  signingKey: SigningKey
  entryKeys: EntryKeys
}

/** The tenant's chain does not end in a valid checkpoint of this installation. Nothing is signed after such an end. */
export class BrokenChain extends Error {
  readonly tenantId: string

  constructor(tenantId: string) {
    super('the audit chain does not end in a valid checkpoint; its new entries stay unsealed')
    this.tenantId = tenantId
  }
}

/** The result of one batch of one tenant. */
interface Batch {
  sealed: number
  refused: number
  /** True if more entries may be waiting. */
  isFull: boolean
}

export interface Sealed {
  entries: number
  /** How many entries were refused, by tenant. */
  refused: Map<string, number>
  broken: BrokenChain[]
  /** Other errors, by tenant. */
  failed: Map<string, unknown>
  /** The tenant after which the next pass continues. Undefined if this pass reached the last waiting tenant. */
  goOnAfter: string | undefined
  /** True if a tenant has more entries than one batch. */
  hasMore: boolean
}

/** Selects the tenants of a pass: at most `atMost`, ordered by id, starting after `after`. */
export interface Turn {
  atMost?: number
  after?: string | undefined
}

/**
 * Seals one batch of each waiting tenant. A tenant with a long backlog gets one batch per pass like all others, so it delays other
 * tenants by at most one batch. Several instances may seal at the same time. `now` is ISO 8601. To reach every tenant, start each pass
 * after the `goOnAfter` of the last one.
 */
export async function sealPending(
  db: Database,
  keys: SealingKeys,
  now: string,
  { atMost = 1000, after = beforeAll }: Turn = {},
): Promise<Sealed> {
  await requeueOwn(db, keys.entryKeys)
  const tenants = await findTenantsToSeal(db.global, atMost, after)
  const goOnAfter = tenants.length < atMost ? undefined : tenants.at(-1)
  const sealed: Sealed = {
    entries: 0,
    refused: new Map(),
    broken: [],
    failed: new Map(),
    goOnAfter,
    hasMore: goOnAfter !== undefined,
  }
  for (const tenantId of tenants) {
    try {
      const batch = await sealOneBatch(db, keys, tenantId, now)
      sealed.entries += batch.sealed
      if (batch.refused > 0) sealed.refused.set(tenantId, batch.refused)
      if (batch.isFull) sealed.hasMore = true
    } catch (error) {
      // A failure of one tenant must not stop the sealing of the others.
      if (error instanceof DatabaseAway) throw error
      if (error instanceof BrokenChain) sealed.broken.push(error)
      else sealed.failed.set(tenantId, error)
    }
  }
  return sealed
}

/** Seals one batch of a tenant's waiting entries and returns how many were sealed. Throws BrokenChain. */
export async function sealTenant(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<number> {
  return (await hasPending(db.reader(tenantId))) ? (await sealOneBatch(db, keys, tenantId, now)).sealed : 0
}

/** Queues entries again that another instance refused because it did not have their key. This happens while the vault key is changed. */
async function requeueOwn(db: Database, entryKeys: EntryKeys): Promise<void> {
  if (!(await hasRefusedByOwnKey(db.global, entryKeys))) return
  await db.transaction(noTenant, (tx) => queueAgain(tx, entryKeys, batchSize))
}

function sealOneBatch(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<Batch> {
  return db
    .transaction(tenantId, (tx) => sealBatch(tx, keys, now))
    .catch((error) => {
      // The insert failed: a seal with the next number already exists, or the head is ahead of the last seal.
      throw brokenConstraint(error) || sqlState(error) === checkViolation ? new BrokenChain(tenantId) : error
    })
}

const checkViolation = '23514'

async function sealBatch(tx: Tx, { signingKey, entryKeys }: SealingKeys, now: string): Promise<Batch> {
  // All four statements are sent at once. PostgreSQL runs the last three when the transaction holds the lock.
  const [, head, last, rows] = await Promise.all([
    lockTrail(tx),
    findHead(tx),
    findLastCheckpoint(tx),
    findPending(tx, batchSize),
  ])
  const isFull = rows.length === batchSize
  if (rows.length === 0) return { sealed: 0, refused: 0, isFull }
  const { accepted, refused } = sortByMac(rows, entryKeys)
  if (accepted.length > 0 && !(await isSigned(tx, head ?? noHead, last, signingKey))) throw new BrokenChain(tx.tenantId)
  const ids = rows.map((row) => row.entry_id)
  await Promise.all([
    removeFromQueue(tx, ids),
    ...(refused.length > 0 ? [storeRefused(tx, refused, now)] : []),
    ...(accepted.length > 0 ? [writeChain(tx, signingKey, head ?? noHead, accepted, now)] : []),
    tx.commit(),
  ])
  return { sealed: accepted.length, refused: refused.length, isFull }
}

const noHead: ChainHead = { seq: 0, chain_hash: genesisHash }

interface Accepted {
  entry_id: string
  entry_hash: string
}

/** Sorts the rows into accepted and refused ones. A row whose entry is already sealed is in neither list and only leaves the queue. */
function sortByMac(rows: readonly PendingRow[], entryKeys: EntryKeys): { accepted: Accepted[]; refused: Refused[] } {
  const accepted: Accepted[] = []
  const refused: Refused[] = []
  for (const { entry_id, entry, mac, is_sealed } of rows) {
    if (is_sealed) continue
    if (!entry) {
      refused.push({ entry_id, reason: 'entry_missing', mac })
      continue
    }
    const entry_hash = entryHashIfAny(entry)
    const reason = entry_hash === undefined ? 'mac_wrong' : entryKeys.faultOf(mac, entry_hash)
    if (entry_hash === undefined || reason) refused.push({ entry_id, reason: reason ?? 'mac_wrong', mac })
    else accepted.push({ entry_id, entry_hash })
  }
  return { accepted, refused }
}

function writeChain(tx: Tx, key: SigningKey, head: ChainHead, accepted: readonly Accepted[], now: string) {
  let { seq, chain_hash } = head
  const seals = accepted.map((entry) => {
    seq++
    chain_hash = nextChainHash(chain_hash, seq, entry.entry_hash)
    return { ...entry, seq, chain_hash }
  })
  const checkpoint = { tenant_id: tx.tenantId, seq, chain_hash, signed_at: now, previous_seq: head.seq }
  return writeSeals(tx, seals, { ...checkpoint, kid: key.kid, signature: key.sign(checkpointText(checkpoint)) })
}

// Checks the last signature before the chain grows: a chain that was rewritten in the database never gets another signature. Ed25519
// signatures are deterministic, and signing again takes half the time of verifying.
async function isSigned(tx: Tx, head: ChainHead, last: AuditCheckpoint | undefined, key: SigningKey): Promise<boolean> {
  if (!last) return head.seq === 0 && head.chain_hash === genesisHash
  if (last.seq !== head.seq || last.chain_hash !== head.chain_hash) return false
  if (last.kid !== key.kid)
    return checkpointHolds(last, key.verifying) && !(await hasCheckpointBy(tx, newerThan(last.kid, key)))
  return key.sign(checkpointText(last)) === last.signature
}

// The keys that replaced `kid`. If one of them has already signed the trail, a later signature by `kid` is a forgery.
function newerThan(kid: string, { verifying }: SigningKey): string[] {
  const kids = [...verifying.keys()]
  return kids.slice(0, kids.indexOf(kid))
}

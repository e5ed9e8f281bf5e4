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
  takeOff,
  writeSeals,
} from './seal-queries.ts'

/** How many entries of a tenant are sealed in one turn, with one signature. */
export const batchSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** What sealing needs of the services. */
export interface SealingKeys {
  signingKey: SigningKey
  entryKeys: EntryKeys
}

/** A tenant's chain does not end in a checkpoint signed by this service: nothing more is signed on top of it. */
export class BrokenChain extends Error {
  readonly tenantId: string

  constructor(tenantId: string) {
    super('the audit chain does not end in a checkpoint that holds; its entries stay unsealed')
    this.tenantId = tenantId
  }
}

/** What one batch of a tenant did. */
interface Batch {
  sealed: number
  refused: number
  /** More may wait. */
  isFull: boolean
}

export interface Sealed {
  entries: number
  /** How many entries were refused, by tenant. */
  refused: Map<string, number>
  broken: BrokenChain[]
  /** What else went wrong, by tenant. */
  failed: Map<string, unknown>
  /** The tenant after which the next pass goes on; undefined when this pass reached the last tenant that waits. */
  goOnAfter: string | undefined
  /** A tenant has more than its turn took. */
  hasMore: boolean
}

/** Which tenants a pass takes: so many, by id from the first after `after`. */
export interface Turn {
  atMost?: number
  after?: string | undefined
}

/**
 * Seals one batch of each tenant that waits. A tenant with a long backlog gets one batch in each pass, like all others, so it
 * delays nobody by more than a batch. Any number of instances may do so at once. `now` is ISO 8601. Passes that go on where the
 * one before stopped come to every tenant.
 */
export async function sealPending(
  db: Database,
  keys: SealingKeys,
  now: string,
  { atMost = 1000, after = beforeAll }: Turn = {},
): Promise<Sealed> {
  await takeBackOwn(db, keys.entryKeys)
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
      // One tenant's damage stops no other's sealing.
      if (error instanceof DatabaseAway) throw error
      if (error instanceof BrokenChain) sealed.broken.push(error)
      else sealed.failed.set(tenantId, error)
    }
  }
  return sealed
}

/** Seals one batch of a tenant's waiting entries, if there are any, and returns how many. @throws BrokenChain */
export async function sealTenant(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<number> {
  return (await hasPending(db.reader(tenantId))) ? (await sealOneBatch(db, keys, tenantId, now)).sealed : 0
}

/** Entries that an instance refused because it did not have their key: during a change of the vault key, for example. */
async function takeBackOwn(db: Database, entryKeys: EntryKeys): Promise<void> {
  if (!(await hasRefusedByOwnKey(db.global, entryKeys))) return
  await db.transaction(noTenant, (tx) => queueAgain(tx, entryKeys, batchSize))
}

function sealOneBatch(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<Batch> {
  return db
    .transaction(tenantId, (tx) => sealBatch(tx, keys, now))
    .catch((error) => {
      // Something stands where the next seal goes, or the head is past it.
      throw brokenConstraint(error) || sqlState(error) === checkViolation ? new BrokenChain(tenantId) : error
    })
}

const checkViolation = '23514'

async function sealBatch(tx: Tx, { signingKey, entryKeys }: SealingKeys, now: string): Promise<Batch> {
  // Sent together; what follows the lock is read once it is held.
  const [, head, last, rows] = await Promise.all([
    lockTrail(tx),
    findHead(tx),
    findLastCheckpoint(tx),
    findPending(tx, batchSize),
  ])
  const isFull = rows.length === batchSize
  if (rows.length === 0) return { sealed: 0, refused: 0, isFull }
  const { accepted, refused } = sortOut(rows, entryKeys)
  if (accepted.length > 0 && !(await isSigned(tx, head ?? noHead, last, signingKey))) throw new BrokenChain(tx.tenantId)
  const ids = rows.map((row) => row.entry_id)
  await Promise.all([
    takeOff(tx, ids),
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

/** A row whose entry is sealed already belongs to neither: it only leaves the queue. */
function sortOut(rows: readonly PendingRow[], entryKeys: EntryKeys): { accepted: Accepted[]; refused: Refused[] } {
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

// Each signature stands on the one before it: a chain rewritten in the database never gets the next. A signature of this kind is
// the same each time, and making it again takes half as long as verifying it.
async function isSigned(tx: Tx, head: ChainHead, last: AuditCheckpoint | undefined, key: SigningKey): Promise<boolean> {
  if (!last) return head.seq === 0 && head.chain_hash === genesisHash
  if (last.seq !== head.seq || last.chain_hash !== head.chain_hash) return false
  if (last.kid !== key.kid)
    return checkpointHolds(last, key.verifying) && !(await hasCheckpointBy(tx, newerThan(last.kid, key)))
  return key.sign(checkpointText(last)) === last.signature
}

// None of these has signed before the key did that the chain ends in; each would not have again.
function newerThan(kid: string, { verifying }: SigningKey): string[] {
  const kids = [...verifying.keys()]
  return kids.slice(0, kids.indexOf(kid))
}

import type { AuditCheckpoint } from '@mandate/contract/audit/audit-chain'
import { genesisHash } from '@mandate/contract/audit/sealed-forms'
import {
  type ChainHead,
  checkpointHolds,
  checkpointText,
  entryHashIfAny,
  nextChainHash,
} from '@mandate/proofs/audit-chain'
import { DatabaseAway } from '../db/connections/database-away.ts'
import { brokenConstraint, type Database, noTenant, sqlState, type Tx } from '../db/database.ts'
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

/**
 * Maximum number of entries that are sealed in one batch. A batch contains entries of one tenant and gets one signature.
 */
export const batchSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** The keys that sealing needs. */
export interface SealingKeys {
  signingKey: SigningKey
  entryKeys: EntryKeys
}

/**
 * Thrown if the tenant's chain does not end in a valid checkpoint of this installation. The sealer then signs nothing more for
 * this tenant.
 */
export class BrokenChain extends Error {
  readonly tenantId: string

  constructor(tenantId: string) {
    super('the audit chain does not end in a valid checkpoint; its new entries stay unsealed')
    this.tenantId = tenantId
  }
}

/** The result of one batch, which contains entries of one tenant. */
interface Batch {
  sealed: number
  refused: number
  /** True if more entries may be waiting. */
  isFull: boolean
}

export interface Sealed {
  entries: number
  /** The number of refused entries, by tenant id. */
  refused: Map<string, number>
  broken: BrokenChain[]
  /** All other errors, by tenant id. */
  failed: Map<string, unknown>
  /**
   * The id of the last tenant that this call handled. Pass it as `after` to the next call. Undefined if no later tenant has
   * waiting entries; the next call then starts with the first tenant again.
   */
  goOnAfter: string | undefined
  /** True if a tenant has more waiting entries than fit into one batch. */
  hasMore: boolean
}

/**
 * Selects the tenants that one call of `sealPending` handles: at most `atMost` tenants, ordered by id, that come after the
 * tenant id `after`.
 */
export interface Turn {
  atMost?: number
  after?: string | undefined
}

/**
 * Seals one batch of entries for each selected tenant that has waiting entries. Seals only one batch per tenant and call, so a
 * tenant with many waiting entries delays the other tenants by at most one batch. To reach the next tenants, pass the returned
 * `goOnAfter` as `after` to the next call. Several instances may seal at the same time. `now` is ISO 8601.
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

/**
 * Seals one batch of a tenant's waiting entries. Returns how many entries were sealed.
 * @throws BrokenChain
 */
export async function sealTenant(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<number> {
  return (await hasPending(db.reader(tenantId))) ? (await sealOneBatch(db, keys, tenantId, now)).sealed : 0
}

/**
 * Moves refused entries back to the sealing queue if another instance refused them because it did not have their MAC key. This
 * instance must have the key. This happens while the vault key is being changed, because MAC keys are derived from the vault
 * key.
 */
async function requeueOwn(db: Database, entryKeys: EntryKeys): Promise<void> {
  if (!(await hasRefusedByOwnKey(db.global, entryKeys))) return
  await db.transaction(noTenant, (tx) => queueAgain(tx, entryKeys, batchSize))
}

function sealOneBatch(db: Database, keys: SealingKeys, tenantId: string, now: string): Promise<Batch> {
  return db
    .transaction(tenantId, (tx) => sealBatch(tx, keys, now))
    .catch((error) => {
      // The insert violated a constraint, so the chain is broken. Either a seal with the next number already exists, or the
      // head (the stored end of the chain) is ahead of the last seal.
      throw brokenConstraint(error) || sqlState(error) === checkViolation ? new BrokenChain(tenantId) : error
    })
}

const checkViolation = '23514'

async function sealBatch(tx: Tx, { signingKey, entryKeys }: SealingKeys, now: string): Promise<Batch> {
  // The four statements are sent together. PostgreSQL runs the last three after the first one has taken the lock.
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

/**
 * Divides the rows into accepted and refused ones. If the entry of a row is already sealed, the row is in neither list and is
 * only removed from the queue.
 */
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

// The last signature is checked before the chain grows. A chain that was rewritten in the database therefore never gets another
// signature. If the current key signed last, the text is signed again and the signatures are compared. Ed25519 signatures are
// deterministic, and signing takes half the time of verifying.
async function isSigned(tx: Tx, head: ChainHead, last: AuditCheckpoint | undefined, key: SigningKey): Promise<boolean> {
  if (!last) return head.seq === 0 && head.chain_hash === genesisHash
  if (last.seq !== head.seq || last.chain_hash !== head.chain_hash) return false
  if (last.kid !== key.kid)
    return checkpointHolds(last, key.verifying) && !(await hasCheckpointBy(tx, newerThan(last.kid, key)))
  return key.sign(checkpointText(last)) === last.signature
}

// Returns the ids of the keys that replaced the key `kid`. If one of them has already signed the trail, a later signature by
// `kid` is a forgery.
function newerThan(kid: string, { verifying }: SigningKey): string[] {
  const kids = [...verifying.keys()]
  return kids.slice(0, kids.indexOf(kid))
}

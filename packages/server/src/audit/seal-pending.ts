import { type AuditCheckpoint, genesisHash } from '@mandate/contract/audit-chain'
import { type ChainHead, checkpointHolds, checkpointText, entryHash, nextChainHash } from '@mandate/policy/audit-chain'
import { brokenConstraint, type Database, type Tx } from '../db/database.ts'
import { DatabaseAway } from '../db/database-away.ts'
import type { SigningKey } from '../security/signing-key.ts'
import {
  findLastCheckpoint,
  findPending,
  findTenantsToSeal,
  hasCheckpointBy,
  hasPending,
  insertHead,
  lockHead,
  writeSeals,
} from './seal-queries.ts'

const batchSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** A tenant's chain does not end in a checkpoint signed by this service: nothing more is signed on top of it. */
export class BrokenChain extends Error {
  readonly tenantId: string

  constructor(tenantId: string) {
    super('the audit chain does not end in a checkpoint that holds; its entries stay unsealed')
    this.tenantId = tenantId
  }
}

export interface Sealed {
  entries: number
  broken: BrokenChain[]
  /** What else went wrong, by tenant. */
  failed: Map<string, unknown>
  /** The tenant after which the next pass goes on; undefined when this one came to the last that waits. */
  goOnAfter: string | undefined
}

/** Which tenants a pass takes: so many, by id from the first after `after`. */
export interface Turn {
  atMost?: number
  after?: string | undefined
}

/**
 * Seals what waits, tenant by tenant. Any number of instances may do so at once. `now` is ISO 8601. Passes that go on where the
 * one before stopped come to every tenant, however many wait all the time.
 */
export async function sealPending(
  db: Database,
  key: SigningKey,
  now: string,
  { atMost = 1000, after = beforeAll }: Turn = {},
): Promise<Sealed> {
  const tenants = await findTenantsToSeal(db.global, atMost, after)
  const goOnAfter = tenants.length < atMost ? undefined : tenants.at(-1)
  const sealed: Sealed = { entries: 0, broken: [], failed: new Map(), goOnAfter }
  for (const tenantId of tenants) {
    try {
      sealed.entries += await sealAll(db, key, tenantId, now)
    } catch (error) {
      // One tenant's damage stops no other's sealing.
      if (error instanceof DatabaseAway) throw error
      if (error instanceof BrokenChain) sealed.broken.push(error)
      else sealed.failed.set(tenantId, error)
    }
  }
  return sealed
}

/** Seals a tenant's waiting entries, if there are any, and answers how many. @throws BrokenChain */
export async function sealTenant(db: Database, key: SigningKey, tenantId: string, now: string): Promise<number> {
  return (await hasPending(db.reader(tenantId))) ? await sealAll(db, key, tenantId, now) : 0
}

async function sealAll(db: Database, key: SigningKey, tenantId: string, now: string): Promise<number> {
  for (let entries = 0; ; ) {
    const sealed = await db
      .transaction(tenantId, (tx) => sealBatch(tx, key, now))
      .catch((error) => {
        // Something stands where the next seal goes.
        throw brokenConstraint(error) ? new BrokenChain(tenantId) : error
      })
    entries += sealed
    if (sealed < batchSize) return entries
  }
}

async function sealBatch(tx: Tx, key: SigningKey, now: string): Promise<number> {
  // Sent together; what follows the lock is read once it is held.
  const [head, last, entries] = await Promise.all([lockHead(tx), findLastCheckpoint(tx), findPending(tx, batchSize)])
  if (entries.length === 0) return 0
  if (!head) {
    await insertHead(tx)
    return await sealBatch(tx, key, now)
  }
  if (!(await isSigned(tx, head, last, key))) throw new BrokenChain(tx.tenantId)
  let { seq, chain_hash } = head
  const seals = entries.map((entry) => {
    const entry_hash = entryHash(entry)
    seq++
    chain_hash = nextChainHash(chain_hash, seq, entry_hash)
    return { seq, entry_id: entry.id, entry_hash, chain_hash }
  })
  const checkpoint = { tenant_id: tx.tenantId, seq, chain_hash, signed_at: now }
  const signed = { ...checkpoint, kid: key.kid, signature: key.sign(checkpointText(checkpoint)) }
  await Promise.all([writeSeals(tx, seals, signed), tx.commit()])
  return seals.length
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

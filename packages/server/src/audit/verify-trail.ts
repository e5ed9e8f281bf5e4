import type { AuditVerdict } from '@mandate/contract/audit'
import { ChainWalk, type FirstBad } from '@mandate/policy/audit-chain'
import type { Database, Sql } from '../db/database.ts'
import type { SigningKey } from '../security/signing-key.ts'
import { BrokenChain, sealTenant } from './seal-pending.ts'
import { type ChainEnds, findChainEnds, findSealed, findStray, type SealedRow } from './verify-queries.ts'

const pageSize = 500

/**
 * Recomputes a tenant's whole chain from its rows, page by page, after sealing what waits. Finds entries that were
 * changed, deleted, added past the queue or given another place, and a chain that was cut or rewritten.
 */
export async function verifyTrail(db: Database, key: SigningKey, tenantId: string, now: string): Promise<AuditVerdict> {
  // What stops the sealer is found below.
  await sealTenant(db, key, tenantId, now).catch((error) => {
    if (!(error instanceof BrokenChain)) throw error
  })
  const reader = db.reader(tenantId)
  const ends = await findChainEnds(reader)
  const walk = new ChainWalk(key.verifying)
  const upTo = ends.head?.seq ?? 0
  const first_bad =
    (await walkSeals(reader, walk, upTo)) ??
    endFault(walk, ends) ??
    // Long on a long trail: not on the connections that all reads share.
    (await db.transaction(tenantId, async (tx) => strayFault(await findStray(tx))))
  return { valid: !first_bad, entries: walk.entries, head: walk.head, ...(first_bad && { first_bad }) }
}

async function walkSeals(db: Sql, walk: ChainWalk, upTo: number): Promise<FirstBad | undefined> {
  const read = (after: number) => findSealed(db, after, Math.min(after + pageSize, upTo))
  // The database reads the next page while this one is hashed.
  let page = read(0)
  for (let after = 0; after < upTo; after += pageSize) {
    const rows = await page
    page = read(after + pageSize)
    page.catch(() => {})
    for (const row of rows) {
      const fault = passRow(walk, row)
      if (fault) return fault
    }
  }
  const reached = walk.head?.seq ?? 0
  if (reached < upTo) return { reason: 'seal_missing', seq: reached + 1 }
}

function passRow(walk: ChainWalk, row: SealedRow): FirstBad | undefined {
  const { seq, entry_id, entry, checkpoint, signed_at } = row
  const due = (walk.head?.seq ?? 0) + 1
  // A gap comes first, whatever is wrong with the entry behind it.
  if (seq !== due) return { reason: 'seal_missing', seq: due }
  if (!entry) return { reason: 'entry_missing', seq, entry_id }
  const fault = walk.passEntry(entry, row)
  if (fault || !checkpoint) return fault
  return walk.passCheckpoint({ ...checkpoint, signed_at: signed_at ?? '' })
}

/** The three tables that know where the chain ends must agree, and the end must be signed. */
function endFault(walk: ChainWalk, ends: ChainEnds): FirstBad | undefined {
  const seq = ends.head?.seq ?? 0
  if (ends.last_checkpoint > Math.max(seq, ends.last_seal)) return { reason: 'seal_missing', seq: ends.last_seal + 1 }
  if (ends.last_seal > seq) return { reason: 'head_changed', seq }
  if (seq === 0) return undefined
  if (walk.head?.chain_hash !== ends.head?.chain_hash) return { reason: 'head_changed', seq }
  return walk.finish()
}

function strayFault({ unsealed, gone }: { unsealed: string | null; gone: string | null }): FirstBad | undefined {
  if (unsealed) return { reason: 'entry_unsealed', entry_id: unsealed }
  if (gone) return { reason: 'entry_missing', entry_id: gone }
}

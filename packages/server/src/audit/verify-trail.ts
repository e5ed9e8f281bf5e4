import type { AuditVerdict, ChainHead } from '@mandate/contract/audit/audit'
import { ChainWalk, type FirstBad } from '@mandate/proofs/audit-chain'
import type { Sql } from '../db/database.ts'
import type { Services } from '../services.ts'
import { findFaultsOutsideChain } from './find-faults-outside-chain.ts'
import { BrokenChain, sealTenant } from './seal-pending.ts'
import { countPending } from './seal-queries.ts'
import { findChainEnds, findSealed, type SealedRow } from './verify-queries.ts'

const pageSize = 500
/** The count of entries that wait for a seal stops at this number. */
export const pendingCounted = 10_000

/**
 * Seals one batch of waiting entries, and then verifies the tenant's whole chain, page by page. Finds entries that were
 * changed, deleted or moved, and entries that were inserted without passing through the sealing queue. Also finds a chain that
 * was cut off or rewritten. `through` is a head (the last sealed place of the chain) that the caller saw earlier. Verification
 * fails if the chain no longer contains this head.
 */
export async function verifyTrail(
  services: Pick<Services, 'db' | 'signingKey' | 'entryKeys'>,
  tenantId: string,
  now: string,
  through?: ChainHead,
): Promise<AuditVerdict> {
  const { db, signingKey } = services
  // If sealing fails because of a fault in the trail, the verification below reports that fault.
  await sealTenant(db, services, tenantId, now).catch((error) => {
    if (!(error instanceof BrokenChain)) throw error
  })
  const reader = db.reader(tenantId)
  const ends = await findChainEnds(reader)
  const walk = new ChainWalk(signingKey.verifying, { tenantId, through })
  const first_bad =
    (await walkSeals(reader, walk, ends.head?.seq ?? 0)) ??
    walk.checkEnds(ends) ??
    (await findFaultsOutsideChain(db, tenantId, true))[0]
  const pending = await countPending(reader, pendingCounted)
  return { valid: !first_bad, entries: walk.entries, head: walk.head, pending, ...(first_bad && { first_bad }) }
}

async function walkSeals(db: Sql, walk: ChainWalk, upTo: number): Promise<FirstBad | undefined> {
  const read = (after: number) => findSealed(db, after, Math.min(after + pageSize, upTo))
  // While the process hashes one page, the database reads the next page.
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
  // If seals are missing before this entry, the gap is reported before any fault of the entry.
  if (seq !== due) return { reason: 'seal_missing', seq: due }
  if (!entry) return { reason: 'entry_missing', seq, entry_id }
  const fault = walk.passEntry(entry, row)
  if (fault || !checkpoint) return fault
  return walk.passCheckpoint({ ...checkpoint, signed_at: signed_at ?? '' })
}

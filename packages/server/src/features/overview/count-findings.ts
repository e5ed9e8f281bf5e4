import type { Overview } from '@mandate/contract/overview'
import { findingTypes } from '@mandate/contract/words/agent-words'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import { countOpenFindings as countByType } from '../findings/list/count-open.ts'

type Found = Pick<Overview, 'findings' | 'findings_total'>

/** Counts the open findings on agents that the caller sees and that are not archived, by type. */
export async function countOpenFindings(ctx: Ctx<Member>): Promise<Found> {
  const counts = await countByType(ctx)
  const findings = Object.fromEntries(findingTypes.map((type) => [type, counts[type] ?? 0])) as Found['findings']
  const sum = Object.values(findings).reduce((total, count) => total + count, 0)
  return { findings, findings_total: Math.min(sum, countedAtMost) }
}

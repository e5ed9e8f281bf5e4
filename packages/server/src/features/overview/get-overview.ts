import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import { scopesPermit } from '../../authz/scopes.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readActiveFreezes } from '../freezes/list/active-freezes.ts'
import { countMine } from './count-mine.ts'
import { recentCounts } from './recent-counts.ts'

/** Returns what waits for the caller, what is wrong, and what there is. */
export async function getOverview(ctx: Ctx<Member>): Promise<Overview> {
  const [needs_me, freezes, counts] = await Promise.all([countMine(ctx), readActiveFreezes(ctx), recentCounts(ctx)])
  const { audit, as_of, findings, findings_total, agents, edges, decisions_24h, stop_reach } = counts
  return {
    needs_me,
    findings,
    findings_total,
    freezes,
    agents,
    edges,
    decisions_24h,
    stop_reach,
    ...(mayVerify(ctx.actor) && { audit }),
    as_of,
  }
}

/** True if the caller may verify the audit trail (`GET /audit/verify`). */
function mayVerify(actor: Member): boolean {
  return hasAuthority(actor, 'manager') && scopesPermit(actor.key?.scopes ?? [], 'audit', 'GET')
}

import type { AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { isPageOfIndex, narrowingsOf } from './list-narrowing.ts'
import { agentBefore, pageTokenAfter } from './page-token.ts'
import { found } from './require-agent.ts'
import { findAgentJson, findAgentsJson, findCoverageJson, planOnce } from './wire-queries.ts'

/**
 * A page of the agents the caller sees, newest first, as JSON text.
 * @throws 400 for a page token that this tenant's list never gave
 */
export async function listAgents(ctx: Ctx<Member>, filters: AgentFilters): Promise<string> {
  const { tenantId } = ctx.actor
  const { page_token: token, page_size: size } = filters
  const afterId = token === undefined ? undefined : agentBefore(tenantId, token)
  const pageOf = (db: Sql) => findAgentsJson(db, ctx.actor, filters, afterId, ctx.now)
  // Not `inTenant`: what changes nothing need not hold its key.
  const page = isLongList(ctx.actor, filters)
    ? await ctx.services.db.transaction(tenantId, async (tx) => (await Promise.all([planOnce(tx), pageOf(tx)]))[1])
    : await pageOf(ctx.sql)
  const data = `{"data":[${page.items ?? ''}]`
  if (page.found <= size || page.last_id === null) return `${data}}`
  return `${data},"next_page_token":"${pageTokenAfter(tenantId, page.last_id)}"}`
}

/** Such a list may pass over many rows before a page is full, and would hold up what shares its connection. */
export function isLongList(actor: Member, filters: AgentFilters): boolean {
  return !isPageOfIndex(narrowingsOf(actor, filters))
}

/** The agent as JSON text. @throws 404 */
export async function getAgent(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findAgentJson(ctx.sql, ctx.actor, id, ctx.now))
}

/** The agent's execution coverage, computed now, as JSON text. @throws 404 */
export async function getExecutionCoverage(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findCoverageJson(ctx.sql, ctx.actor, id, ctx.now))
}

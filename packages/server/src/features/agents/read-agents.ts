import type { AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { agentBefore, pageTokenAfter } from './page-token.ts'
import { found } from './require-agent.ts'
import { findAgentJson, findAgentsJson, findCoverageJson } from './wire-queries.ts'

/**
 * A page of the agents the caller sees, newest first, as JSON text.
 * @throws 400 for a page token that this tenant's list never gave
 */
export async function listAgents(ctx: Ctx<Member>, filters: AgentFilters): Promise<string> {
  const { page_token: token, page_size: size } = filters
  const afterId = token === undefined ? undefined : agentBefore(ctx.actor.tenantId, token)
  const page = isLongList(filters)
    ? await ctx.inTenant((tx) => findAgentsJson(tx, ctx.actor, filters, afterId, ctx.now))
    : await findAgentsJson(ctx.sql, ctx.actor, filters, afterId, ctx.now)
  const data = `{"data":[${page.items ?? ''}]`
  if (page.found <= size || page.last_id === null) return `${data}}`
  return `${data},"next_page_token":"${pageTokenAfter(ctx.actor.tenantId, page.last_id)}"}`
}

/** These two may pass over many rows before a page is full, and would hold up what shares their connection. */
export function isLongList({ search, execution_coverage: coverage }: AgentFilters): boolean {
  return search !== undefined || coverage !== undefined
}

/** The agent as JSON text. @throws 404 */
export async function getAgent(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findAgentJson(ctx.sql, ctx.actor, id, ctx.now))
}

/** The agent's execution coverage, computed now, as JSON text. @throws 404 */
export async function getExecutionCoverage(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findCoverageJson(ctx.sql, ctx.actor, id, ctx.now))
}

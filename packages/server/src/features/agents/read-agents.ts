import type { AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../authz/actor.ts'
import { sightOf } from '../../authz/sight.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { planOnce } from '../../db/plan-once.ts'
import { ListCursors } from '../../security/list-cursors.ts'
import { findAgentJson, findAgentsJson, findCoverageJson, findListedJson } from './agent-json-queries.ts'
import { isPageOfIndex, narrowingsOf } from './list-narrowing.ts'
import { found } from './require-agent.ts'
import { searchAgents } from './search-agents.ts'

const pageTokens = new ListCursors('agents', 'page_token')

/**
 * Returns a page of the agents that the caller sees, newest first, as JSON text.
 * @throws 400 for a page token that the list of this tenant did not return
 */
export async function listAgents(ctx: Ctx<Member>, filters: AgentFilters): Promise<string> {
  const { tenantId } = ctx.actor
  const { page_token: token } = filters
  const afterId = token === undefined ? undefined : pageTokens.idBefore(tenantId, token)
  const page = isLongList(ctx.actor, filters) ? searchPage(ctx, filters, afterId) : readPage(ctx, filters, afterId)
  const { items, lastId } = await page
  const data = `{"data":[${items ?? ''}]`
  return lastId === null ? `${data}}` : `${data},"next_page_token":"${pageTokens.after(tenantId, lastId)}"}`
}

/**
 * True if the list may skip many rows before a page is full. Such a query is slow and would delay the other statements on a
 * shared connection.
 */
export function isLongList(actor: Member, filters: AgentFilters): boolean {
  return !isPageOfIndex(narrowingsOf(sightOf(actor), filters))
}

interface Page {
  /** The agents' JSON, joined by commas; null for an empty page. */
  items: string | null
  /** Id of the last agent on the page if there is a next page, else null. */
  lastId: string | null
}

async function readPage(ctx: Ctx<Member>, filters: AgentFilters, afterId: string | undefined): Promise<Page> {
  const { items, found, last_id } = await findAgentsJson(ctx.sql, ctx.actor, filters, afterId, ctx.now)
  return { items, lastId: found > filters.page_size ? last_id : null }
}

const afterAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

// `inTenant` is not used, because it also locks the caller's API key. A transaction that writes nothing does not need this lock.
function searchPage(ctx: Ctx<Member>, filters: AgentFilters, before = afterAll): Promise<Page> {
  const { actor, now } = ctx
  const size = filters.page_size
  return ctx.services.db.transaction(actor.tenantId, async (tx) => {
    const search = { actor, filters, now, wanted: size + 1 }
    const [, { ids, last }] = await Promise.all([planOnce(tx), searchAgents(tx, search, before)])
    const items = await findListedJson(tx, actor, ids.slice(0, size), now)
    return { items, lastId: ids.length > size ? (ids[size - 1] as string) : last }
  })
}

/** Returns the agent as JSON text. @throws 404 */
export async function getAgent(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findAgentJson(ctx.sql, ctx.actor, id, ctx.now))
}

/** Returns the agent's execution coverage (how much of what the agent does passes an edge) as JSON text. @throws 404 */
export async function getExecutionCoverage(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findCoverageJson(ctx.sql, ctx.actor, id, ctx.now))
}

import type { AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import { sightOf } from '../../../authz/sight.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { planOnce } from '../../../db/plan-once.ts'
import { addActivityToJson } from '../json/add-activity.ts'
import { findAgentJson, findAgentsJson, findCoverageJson, findListedJson } from '../json/agent-json-queries.ts'
import { lateBefore } from '../json/late-before.ts'
import { isPageOfIndex, narrowingsOf } from '../json/list-narrowing.ts'
import { addMayToJson } from '../may.ts'
import { found } from '../require-agent.ts'
import { newestTokens, placeOfToken, tokenAfter } from './page-tokens.ts'
import { searchAgents } from './search-agents.ts'
import type { Search } from './search-queries.ts'
import type { Place, Sort } from './sort-queries.ts'
import { searchInOrder } from './sorted-search.ts'

/**
 * Returns a page of the agents that the caller sees, as JSON text.
 * @throws 400 for a page token that the list of this tenant did not return
 */
export async function listAgents(ctx: Ctx<Member>, filters: AgentFilters): Promise<string> {
  const { items, nextToken } = await (filters.sort === 'newest' ? listNewest : listSorted)(ctx, filters)
  const data = `{"data":[${items === null ? '' : await addParts(ctx, filters.include, items)}]`
  return nextToken === null ? `${data}}` : `${data},"next_page_token":"${nextToken}"}`
}

/**
 * True if the list may skip many rows before a page is full. Such a query is slow and would delay the other statements on a
 * shared connection.
 */
export function isLongList(actor: Member, filters: AgentFilters): boolean {
  return filters.sort !== 'newest' || !isPageOfIndex(narrowingsOf(sightOf(actor), filters))
}

interface Listed {
  /** The agents' JSON, joined by commas; null for an empty page. */
  items: string | null
  nextToken: string | null
}

async function listNewest(ctx: Ctx<Member>, filters: AgentFilters): Promise<Listed> {
  const { tenantId } = ctx.actor
  const { page_token: token } = filters
  const afterId = token === undefined ? undefined : newestTokens.idBefore(tenantId, token)
  const page = isLongList(ctx.actor, filters) ? searchPage(ctx, filters, afterId) : readPage(ctx, filters, afterId)
  const { items, lastId } = await page
  return { items, nextToken: lastId === null ? null : newestTokens.after(tenantId, lastId) }
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
    const search = searchOf(ctx, filters, size + 1)
    const [, { ids, last }] = await Promise.all([planOnce(tx), searchAgents(tx, search, before)])
    const items = await findListedJson(tx, actor, ids.slice(0, size), now)
    return { items, lastId: ids.length > size ? (ids[size - 1] as string) : last }
  })
}

/** Adds what `include` asks for to the JSON of agents. `items` are joined by commas. */
async function addParts(ctx: Ctx<Member>, include: AgentFilters['include'], items: string): Promise<string> {
  if (include === undefined) return items
  return await addMayToJson(ctx, include, await addActivityToJson(ctx, include, items))
}

function listSorted(ctx: Ctx<Member>, filters: AgentFilters): Promise<Listed> {
  const { actor, now, services } = ctx
  const { tenantId } = actor
  const size = filters.page_size
  const sort = filters.sort as Sort
  const place = placeOfToken(services.vault, tenantId, sort, filters.page_token)
  return services.db.transaction(tenantId, async (tx) => {
    const search = searchOf(ctx, filters, size + 1)
    const [, { places, last }] = await Promise.all([planOnce(tx), searchInOrder(tx, search, sort, place)])
    const shown = places.slice(0, size)
    const ids = shown.map((one) => one.at(-1) as string)
    const items = await findListedJson(tx, actor, ids, now, 'given')
    const next = places.length > size ? (shown.at(-1) as Place) : last
    return { items, nextToken: next && tokenAfter(services.vault, tenantId, sort, next) }
  })
}

const searchOf = (ctx: Ctx<Member>, filters: AgentFilters, wanted: number): Search => ({
  actor: ctx.actor,
  filters,
  now: ctx.now,
  lateBefore: lateBefore(ctx),
  wanted,
})

/** Returns the agent as JSON text. @throws 404 */
export async function getAgent(
  ctx: Ctx<Member>,
  id: string,
  { include }: Pick<AgentFilters, 'include'> = {},
): Promise<string> {
  return await addParts(ctx, include, found(await findAgentJson(ctx.sql, ctx.actor, id, ctx.now)))
}

/** Returns the agent's execution coverage (how much of what the agent does passes an edge) as JSON text. @throws 404 */
export async function getExecutionCoverage(ctx: Ctx<Member>, id: string): Promise<string> {
  return found(await findCoverageJson(ctx.sql, ctx.actor, id, ctx.now))
}

import type { Decision, DecisionFilters } from '@mandate/contract/decisions'
import { longestRetentionDays } from '@mandate/contract/tenants'
import type { Member } from '../../../authz/actor.ts'
import { isBoundKey } from '../../../authz/can.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { isLimitedByGrants } from '../../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { oldestBucket } from '../records/count-decisions.ts'
import { requireOrder } from '../records/require-order.ts'
import { readToolFilter, type ToolFilter } from '../records/tool-filter.ts'
import { type Place, placeOfToken, tokenAfter } from './decision-cursors.ts'
import { nameDecisions, type RecordRow, readRecords } from './decision-queries.ts'
import {
  countSession,
  findBuckets,
  findKindHashes,
  findPartitions,
  findVisible,
  findVisibleAgents,
  type Search,
  searchDecisions,
  seesFewAgents,
} from './list-queries.ts'
import { overlaps, type Partition, type Range, rangesOf, rangesOfBuckets } from './list-ranges.ts'

/** Most decisions that one request reads. */
const mostRead = 20_000
/** Most statements with which one request looks for decisions. */
const mostStatements = 16
/** Decisions that the first statement reads if some of them may not pass the filters. */
const firstStep = 500
/** For a scoped user who sees at most this many agents, the decisions of each agent are read. */
const mostAgents = 1_000
/** Decisions of each agent or kind that a statement reads at least. Otherwise it would stop at a busy one before the page is full. */
const leastOfEach = 8
/** For a scoped user who sees at most this many agents, each statement reads all their grants. */
const mostGrants = 20_000
/** If at most this many kinds of decisions match the filters, the decisions of each kind are read. */
const mostKinds = 100
const countedAtMost = 10_000
const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface DecisionPage {
  data: Decision[]
  next_page_token?: string
  session?: { calls: number; first_at: string | null }
}

/**
 * Returns a page of the decisions that the caller sees, newest first. Reads a bounded number of decisions, so the page may be short.
 * @throws 400 for a malformed tool pattern, a reversed span, or a page token that this list did not return
 */
export async function listDecisions(ctx: Ctx<Member>, filters: DecisionFilters): Promise<DecisionPage> {
  const { actor, now } = ctx
  const { db, vault } = ctx.services
  const tool = readToolFilter(filters.tool)
  const span = spanOf(filters, now)
  const start = filters.page_token === undefined ? undefined : placeOfToken(vault, actor.tenantId, filters.page_token)
  return await db.transaction(actor.tenantId, async (tx) => {
    const [, allPartitions, agents] = await Promise.all([
      planForValues(tx),
      findPartitions(tx, wholeSpan(now)),
      findAgents(tx, actor, filters),
    ])
    const partitions = allPartitions.filter((one) => overlaps(one, span))
    const readsGrants = isLimitedByGrants(actor) && agents === null && (await seesFewAgents(tx, actor, mostGrants))
    const search = await searchOf(tx, actor, { filters, tool, agentIds: agents, readsGrants })
    const before = start ?? { at: new Date(span.to).toISOString(), decisionId: lastId }
    const left = { from: span.from, to: Math.min(span.to, Date.parse(before.at) + 1) }
    const [{ rows, rest }, session] = await Promise.all([
      walk(tx, actor, search, { left, partitions, before, size: filters.page_size, now }),
      filters.session_id === undefined
        ? undefined
        : countSession(tx, actor, filters.session_id, allPartitions, { most: countedAtMost, now }),
    ])
    const data = await nameDecisions(tx, actor, rows)
    return {
      data,
      ...(rest && { next_page_token: tokenAfter(vault, actor.tenantId, rest) }),
      ...(session && { session }),
    }
  })
}

/** No decision is kept longer than the longest retention. The server refuses decisions that are more than a day ahead. */
function wholeSpan(now: string): Range {
  const nowMs = Date.parse(now)
  return { from: nowMs - longestRetentionDays * dayMs, to: nowMs + 2 * dayMs }
}

function spanOf({ from, to }: DecisionFilters, now: string): Range {
  requireOrder(from, to)
  const whole = wholeSpan(now)
  return {
    from: Math.max(whole.from, from === undefined ? whole.from : Date.parse(from)),
    to: Math.min(whole.to, to === undefined ? whole.to : Date.parse(to)),
  }
}

/** Returns the agents whose decisions are read if the caller sees no others; null for the decisions of any agent. */
async function findAgents(db: Sql, actor: Member, { agent_id }: DecisionFilters): Promise<string[] | null> {
  if (agent_id !== undefined) return await findVisible(db, actor, [agent_id])
  if (!isLimitedByGrants(actor)) return null
  const agents = await findVisibleAgents(db, actor, mostAgents + 1)
  return agents.length <= mostAgents ? agents : null
}

/** Chooses the index that a search reads. */
async function searchOf(
  db: Sql,
  actor: Member,
  search: { filters: DecisionFilters; tool: ToolFilter; agentIds: readonly string[] | null; readsGrants: boolean },
): Promise<Search> {
  const { agent_id, approval_id, session_id, edge_id, effect } = search.filters
  if (approval_id !== undefined)
    return { ...search, path: 'approval', agentIds: agent_id === undefined ? null : search.agentIds }
  if (agent_id !== undefined) return { ...search, path: 'agents' }
  if (session_id !== undefined) return { ...search, path: 'session', agentIds: null }
  if (search.agentIds) return { ...search, path: 'agents' }
  if (edge_id !== undefined) return { ...search, path: 'edge' }
  if (hasKindFilter(actor, search)) {
    const kindHashes = await findKindHashes(db, withBoundEnvironment(actor, search), mostKinds)
    if (kindHashes) return { ...search, path: 'kinds', kindHashes }
  }
  return { ...search, path: effect === undefined || effect === 'allow' ? 'time' : 'stopped' }
}

/** True if the actor sees only decisions that agree in a field of their kind, other than the effect. */
function hasKindFilter(actor: Member, { filters, tool }: Pick<Search, 'filters' | 'tool'>): boolean {
  const { policy_id, rule_id, environment_id, mode } = filters
  const fields = [policy_id, rule_id, environment_id, mode, tool.exact ?? undefined, tool.regex ?? undefined]
  return isBoundKey(actor) || fields.some((value) => value !== undefined)
}

interface Walk {
  left: Range
  partitions: readonly Partition[]
  before: Place
  size: number
  now: string
}

/** Looks into one range of time after another until the page is full or the limits are reached. */
async function walk(
  tx: Tx,
  actor: Member,
  search: Search,
  { left, partitions, before, size, now }: Walk,
): Promise<{ rows: RecordRow[]; rest: Place | null }> {
  const items = search.path === 'kinds' ? search.kindHashes : search.agentIds
  if (items?.length === 0) return { rows: [], rest: null }
  const { ranges, end } = await findRanges(tx, actor, search, left, partitions, now)
  const rows: RecordRow[] = []
  const isNarrow = isTested(actor, search)
  let read = 0
  let statements = 0
  for (const range of ranges) {
    const inRange = partitions.filter((one) => overlaps(one, range))
    if (inRange.length === 0) continue
    // Most pages are full after few rows. If many rows do not pass the filters, the next statement reads more of them. Several agents or
    // kinds share the rows of a statement.
    for (let step = firstStep, from: Place | null = before; from; step *= 4) {
      if (read >= mostRead || statements++ >= mostStatements)
        return { rows, rest: from === before ? placeAbove(range) : from }
      const wanted = size + 1 - rows.length
      const inStep = Math.min(step, mostRead - read)
      const share = items ? Math.max(leastOfEach, Math.ceil(inStep / items.length)) : inStep
      const most = isNarrow ? share : Math.min(share, wanted)
      const window = { range, partitions: inRange, before: from, wanted, most, now }
      const found = await searchDecisions(tx, actor, { ...search, isNarrow }, window)
      rows.push(...(isNarrow ? await readRecords(tx, found.rows) : (found.rows as RecordRow[])))
      read += found.read
      if (rows.length > size) return { rows: rows.slice(0, size), rest: rows[size - 1] as Place }
      from = found.stoppedAt
    }
  }
  return { rows, rest: end === null ? null : placeAbove({ to: end }) }
}

/** The page goes on with the newest decision of a range that was not looked into. */
const placeAbove = ({ to }: Pick<Range, 'to'>): Place => ({ at: new Date(to - 1).toISOString(), decisionId: lastId })

/** True if rows that the index returns may be left out of the page. */
function isTested(actor: Member, search: Search): boolean {
  const { filters, path, agentIds } = search
  if (isLimitedByGrants(actor) && agentIds === null) return true
  if (path === 'kinds') return false
  // An approval has few calls, and every other filter is tested for each of them.
  if (path === 'approval') return true
  if (hasKindFilter(actor, search)) return true
  if (filters.effect !== undefined && path !== 'stopped') return true
  if (filters.edge_id !== undefined && path !== 'edge') return true
  return filters.session_id !== undefined && path !== 'session'
}

interface Ranges {
  ranges: Range[]
  /** Where the last range begins, if there may be decisions before it that are in no range. In milliseconds. */
  end: number | null
}

/** If calls of the wanted kind may be rare, the counts say in which buckets they are. */
async function findRanges(
  tx: Tx,
  actor: Member,
  search: Search,
  left: Range,
  partitions: readonly Partition[],
  now: string,
): Promise<Ranges> {
  const isGuided = ['time', 'edge'].includes(search.path) && !isLimitedByGrants(actor) && isTested(actor, search)
  if (!isGuided) return { ranges: rangesOf(left, partitions), end: null }
  const guide = withBoundEnvironment(actor, search)
  const hoursFrom = Math.max(left.from, Date.parse(oldestBucket(now, 'hour')))
  const hours = await findBuckets(tx, guide, {
    grain: 'hour',
    range: wholeBuckets({ ...left, from: hoursFrom }, hourMs),
    most: bucketsAtOnce,
  })
  const ranges = rangesOfBuckets(hours, hourMs, left)
  if (hours.length === bucketsAtOnce) return { ranges, end: hours.at(-1) as number }
  const older = { from: left.from, to: Math.min(left.to, hoursFrom) }
  if (older.from >= older.to) return { ranges, end: null }
  const days = await findBuckets(tx, guide, { grain: 'day', range: wholeBuckets(older, dayMs), most: bucketsAtOnce })
  const end = days.length === bucketsAtOnce ? (days.at(-1) as number) : null
  return { ranges: [...ranges, ...rangesOfBuckets(days, dayMs, older)], end }
}

const bucketsAtOnce = 200

const wholeBuckets = ({ from, to }: Range, lengthMs: number): Range => ({ from: from - (from % lengthMs), to })

/** A key that is bound to an environment sees only its decisions. */
function withBoundEnvironment<T extends Pick<Search, 'filters'>>(actor: Member, search: T): T {
  const environment_id = actor.key?.environmentId ?? search.filters.environment_id
  return { ...search, filters: { ...search.filters, environment_id } }
}

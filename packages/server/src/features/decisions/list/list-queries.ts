import type { DecisionFilters } from '@mandate/contract/decisions'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import {
  agentIsVisible,
  agentOfRecordIsGranted,
  agentOfRecordIsVisible,
  narrowedBy,
  visibleAgentIds,
} from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { tenantSubjects } from '../records/count-decisions.ts'
import { otherTool } from '../records/kinds.ts'
import type { ToolFilter } from '../records/tool-filter.ts'
import type { Place } from './decision-cursors.ts'
import { type FoundRow, recordColumns } from './decision-queries.ts'
import type { Partition, Range } from './list-ranges.ts'

/** Returns the partitions that hold decisions of the tenant, made in a span of time. */
export async function findPartitions(db: Sql, { from, to }: Range): Promise<Partition[]> {
  const text = `select retention_days, day, first_at, last_at from decision_spans
    where tenant_id = $1 and last_at > $2::timestamptz and first_at < $3::timestamptz`
  const rows = await db.all(
    raw<{ retention_days: number; day: string; first_at: string; last_at: string }>(text, [
      db.tenantId,
      new Date(from).toISOString(),
      new Date(to).toISOString(),
    ]),
  )
  return rows.map(({ retention_days, day, first_at, last_at }) => ({
    retentionDays: retention_days,
    day: Date.parse(day),
    from: Date.parse(first_at),
    to: Date.parse(last_at),
  }))
}

/** Which index a statement reads. The other filters are tested for each row that it reads. */
export type Path = 'time' | 'agents' | 'approval' | 'session' | 'stopped' | 'edge' | 'kinds'

export interface Search {
  filters: Pick<
    DecisionFilters,
    | 'agent_id'
    | 'policy_id'
    | 'rule_id'
    | 'edge_id'
    | 'environment_id'
    | 'effect'
    | 'mode'
    | 'approval_id'
    | 'session_id'
  >
  tool: ToolFilter
  /**
   * Ids of the agents whose decisions are read. The path `agents` reads an index range for each. With the path `approval`, an empty list means that
   * the caller does not see the agent.
   */
  agentIds: readonly string[] | null
  /** Whether a statement reads the grants of a scoped user as a whole. Otherwise it looks up the grant of each row. */
  readsGrants: boolean
  /** The values of `kind_hash` of the decisions that are read. Only the path `kinds` uses them. */
  kindHashes?: readonly string[]
  path: Path
}

export interface Found {
  rows: FoundRow[]
  /**
   * The last row that was read, if the statement stopped at its limit. For the paths `agents` and `kinds`, the newest of the rows at which the
   * reading of an agent or kind stopped: older decisions of it were not read.
   */
  stoppedAt: Place | null
  /** Number of rows that were read. */
  read: number
}

/** A narrow search reads only the columns that the filters test, because it may leave out most of the rows that it reads. */
type SearchOf = Search & { isNarrow: boolean }

const conditionOfPath: Record<Path, string> = {
  time: '',
  agents: 'and r.agent_id = x.id',
  kinds: 'and r.kind_hash = x.id',
  approval: 'and r.approval_id = :approvalId::uuid',
  edge: 'and r.edge_id = :edgeId::uuid',
  session: 'and r.session_id = :sessionId',
  stopped: `and r.effect = :effect and r.effect <> 'allow'`,
}

/** The columns that the filters test. */
const testedColumns =
  'r.at, r.decision_id, r.retention_days, r.filed_at, r.agent_id, r.environment_id, r.edge_id, r.tool, r.effect, r.mode, r.rule_id, r.policy_id, r.session_id'

const keyColumns = 'r.decision_id as "decisionId", r.at, r.retention_days as "retentionDays", r.filed_at as "filedAt"'
const newestFirst = 'order by r.at desc, r.decision_id desc'

// The partition key is compared with values of the request, so PostgreSQL plans only the partitions of the range. This needs one
// retention: with a list of retentions, it would plan all their days.
const readRange = (
  path: Path,
  columns: string,
) => `select ${columns}, row_number() over (${newestFirst}) = :most::int as is_end
  from decision_records r
  where r.tenant_id = :tenantId and r.retention_days = :retention::int
    and r.filed_at >= :filedFrom::timestamptz and r.filed_at < :filedTo::timestamptz
    and r.at >= :from::timestamptz and r.at < :to::timestamptz and (r.at, r.decision_id) < (:beforeAt::timestamptz, :beforeId::uuid)
    and r.result_of is null ${conditionOfPath[path]}
  ${newestFirst} limit :most::int`

/** The list that a path reads one index range for each item of. */
const itemsOfPath: Partial<Record<Path, string>> = { agents: ':agentIds::uuid[]', kinds: ':kindHashes::bigint[]' }

const shapes = {
  path: ['time', 'agents', 'approval', 'session', 'stopped', 'edge', 'kinds'],
  isNarrow: [true, false],
  readsGrants: [false, true],
} as const

const searchStatement = statementsBySight(shapes, ({ path, isNarrow, readsGrants, sight }) => {
  const columns = isNarrow ? testedColumns : 'r.*'
  const items = itemsOfPath[path]
  const range = readRange(path, columns)
  const read = items ? `select r.* from unnest(${items}) as x (id) cross join lateral (${range}) r` : range
  const isVisible = narrowedBy(sight, {
    bound: 'r.environment_id = :environmentId',
    scoped: readsGrants ? agentOfRecordIsGranted('r') : agentOfRecordIsVisible('scoped', 'r'),
  })
  return namedSql<FoundRow & { is_wanted: boolean; is_end: boolean; read: number }>(`
    with looked as materialized (${read}),
    judged as (
      select r.*,
        (${isVisible} and r.at >= :now::timestamptz - make_interval(days => r.retention_days)
          and r.filed_at >= :now::timestamptz - make_interval(days => r.retention_days)
          and (:agentId::uuid is null or r.agent_id = :agentId::uuid)
          and (:policyId::uuid is null or r.policy_id = :policyId::uuid)
          and (:ruleId::uuid is null or r.rule_id = :ruleId::uuid)
          and (:edgeId::uuid is null or r.edge_id = :edgeId::uuid)
          and (:onlyEnvironment::uuid is null or r.environment_id = :onlyEnvironment::uuid)
          and (:effect::text is null or r.effect = :effect::text)
          and (:mode::text is null or r.mode = :mode::text)
          and (:sessionId::text is null or r.session_id = :sessionId::text)
          and (:tool::text is null or r.tool = :tool::text)
          and (:toolRegex::text is null or r.tool ~ :toolRegex::text)) is true as is_wanted
      from looked r),
    counted as (select count(*) as read from looked),
    ended as (select r.at, r.decision_id from judged r where r.is_end ${newestFirst} limit 1),
    wanted as (select r.*, true as is_row from judged r
      where r.is_wanted and coalesce((r.at, r.decision_id) >= (select e.at, e.decision_id from ended e), true)
      ${newestFirst} limit :wanted::int),
    marker as (select r.*, false as is_row from judged r order by r.is_end desc, r.at desc, r.decision_id desc limit 1)
    select ${isNarrow ? keyColumns : recordColumns}, r.is_row as is_wanted, r.is_end, c.read
    from (select * from wanted union all select * from marker) r cross join counted c
    ${newestFirst}`)
})

export interface Window {
  range: Range
  partitions: readonly Partition[]
  before: Place
  /** Number of rows to return. */
  wanted: number
  /** Most rows to read; for the paths `agents` and `kinds`, of each agent or kind. */
  most: number
  now: string
}

const dayMs = 24 * 60 * 60_000
const iso = (ms: number) => new Date(ms).toISOString()

/** Finds decisions of a range of time, newest first. Run it with `planForValues`. */
export async function searchDecisions(db: Sql, actor: Member, search: SearchOf, window: Window): Promise<Found> {
  const byRetention = Map.groupBy(window.partitions, ({ retentionDays }) => retentionDays)
  const found = await Promise.all(
    [...byRetention].map(([retention, partitions]) =>
      searchRetention(db, actor, search, retention, { ...window, partitions }),
    ),
  )
  return found.reduce(merge)
}

/** Joins what was found under two retentions. What is older than the place where one of them stopped is left to the next page. */
function merge(one: Found, other: Found): Found {
  const stoppedAt = [one.stoppedAt, other.stoppedAt].reduce((a, b) => (a && b ? (isNewer(a, b) ? a : b) : (a ?? b)))
  const rows = [...one.rows, ...other.rows].sort((a, b) => (isNewer(a, b) ? -1 : 1))
  return {
    rows: stoppedAt ? rows.filter((row) => !isNewer(stoppedAt, row)) : rows,
    stoppedAt,
    read: one.read + other.read,
  }
}

function isNewer(one: Place, other: Place): boolean {
  return one.at > other.at || (one.at === other.at && one.decisionId > other.decisionId)
}

async function searchRetention(
  db: Sql,
  actor: Member,
  search: SearchOf,
  retention: number,
  window: Window,
): Promise<Found> {
  const { filters, tool, agentIds, kindHashes, path, isNarrow, readsGrants } = search
  const { range, partitions, before, wanted, most, now } = window
  const days = partitions.map(({ day }) => day)
  const rows = await db.all(
    searchStatement(
      actor,
      { path, isNarrow, readsGrants },
      {
        retention,
        filedFrom: iso(Math.min(...days)),
        filedTo: iso(Math.max(...days) + dayMs),
        from: iso(range.from),
        to: iso(range.to),
        beforeAt: before.at,
        beforeId: before.decisionId,
        agentIds: agentIds ?? [],
        kindHashes: kindHashes ?? [],
        approvalId: filters.approval_id ?? null,
        agentId: filters.agent_id ?? null,
        policyId: filters.policy_id ?? null,
        ruleId: filters.rule_id ?? null,
        edgeId: filters.edge_id ?? null,
        onlyEnvironment: filters.environment_id ?? null,
        effect: filters.effect ?? null,
        mode: filters.mode ?? null,
        sessionId: filters.session_id ?? null,
        tool: tool.exact,
        toolRegex: tool.regex,
        wanted,
        most,
        now,
      },
    ),
  )
  const read = rows[0]?.read ?? 0
  const end = rows.find(({ is_wanted, is_end }) => !is_wanted && is_end)
  return {
    rows: rows.filter(({ is_wanted }) => is_wanted),
    stoppedAt: end ? { at: end.at, decisionId: end.decisionId } : null,
    read,
  }
}

const visibleAgents = statementsBySight({}, ({ sight }) =>
  namedSql<{ agent_id: string }>(`select v.agent_id from (${visibleAgentIds(sight)}) v limit :most::int`),
)

/** Returns the agents that the actor sees, at most `most`. */
export async function findVisibleAgents(db: Sql, actor: Member, most: number): Promise<string[]> {
  const rows = await db.all(visibleAgents(actor, {}, { most }))
  return rows.map(({ agent_id }) => agent_id)
}

const visibleOf = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string }>(
    `select a.id from agents a where a.tenant_id = :tenantId and a.id = any(:ids::uuid[]) and ${agentIsVisible(sight, 'a')}`,
  ),
)

const fewVisibleAgents = statementsBySight({}, ({ sight }) =>
  namedSql<{ is_few: boolean }>(`
    select not exists (select from (${visibleAgentIds(sight)}) v offset :most::int) as is_few`),
)

/** True if the actor sees at most `most` agents. */
export async function seesFewAgents(db: Sql, actor: Member, most: number): Promise<boolean> {
  return (await db.one(fewVisibleAgents(actor, {}, { most }))).is_few
}

/** Returns those of the agents that the actor sees. */
export async function findVisible(db: Sql, actor: Member, ids: readonly string[]): Promise<string[]> {
  return (await db.all(visibleOf(actor, {}, { ids }))).map(({ id }) => id)
}

/**
 * Returns the starts of the newest buckets that may hold calls of the wanted kind, newest first, in milliseconds. At most `most`. Calls that were
 * counted as `other` may be of any tool or rule, and without a policy also of any policy.
 */
export async function findBuckets(
  db: Sql,
  { filters, tool }: Pick<Search, 'filters' | 'tool'>,
  { grain, range, most }: { grain: 'hour' | 'day'; range: Range; most: number },
): Promise<number[]> {
  const text = `
    select c.bucket from ${grain === 'hour' ? 'decision_hours' : 'decision_days'} c
    join decision_kinds k on k.tenant_id = $1 and k.id = c.kind_id
    where c.tenant_id = $1 and c.subject_id = any($2::uuid[]) and c.bucket >= $3::timestamptz and c.bucket < $4::timestamptz
      and ($5::uuid is null or k.policy_id = $5 or (k.policy_id is null and k.tool = '${otherTool}'))
      and ($6::uuid is null or k.rule_id = $6 or (k.rule_id is null and k.tool = '${otherTool}'))
      and ($7::uuid is null or k.environment_id = $7) and ($8::text is null or k.effect = $8) and ($9::text is null or k.mode = $9)
      and ($10::text is null or k.tool = $10 or k.tool = '${otherTool}')
      and ($11::text is null or k.tool ~ $11 or k.tool = '${otherTool}')
    group by c.bucket order by c.bucket desc limit $12`
  const rows = await db.all(
    raw<{ bucket: string }>(text, [
      db.tenantId,
      filters.edge_id === undefined ? tenantSubjects : [filters.edge_id],
      iso(range.from),
      iso(range.to),
      filters.policy_id ?? null,
      filters.rule_id ?? null,
      filters.environment_id ?? null,
      filters.effect ?? null,
      filters.mode ?? null,
      tool.exact,
      tool.regex,
      most,
    ]),
  )
  return rows.map(({ bucket }) => Date.parse(bucket))
}

/** Kinds that are read to find those that match filters. */
const mostKindsRead = 5_000

/**
 * Returns the values of `kind_hash` that decisions have if they match the filters. Returns null if there are more than `most`, if more than
 * 5,000 kinds must be read to find them, or if some of the decisions may be counted as `other`.
 */
export async function findKindHashes(
  db: Sql,
  { filters, tool }: Pick<Search, 'filters' | 'tool'>,
  most: number,
): Promise<string[] | null> {
  const isTool = '($8::text is null or k.tool = $8) and ($9::text is null or k.tool ~ $9)'
  // The conditions of `near` have indexes. An unlimited read would take long if there are many kinds.
  const text = `
    with near as materialized (
      select k.* from decision_kinds k
      where k.tenant_id = $1 and k.tool <> '' and ($2::uuid is null or k.policy_id = $2) and ($3::uuid is null or k.rule_id = $3)
        and ($4::uuid is null or k.environment_id = $4) and ($8::text is null or k.tool = $8) limit ${mostKindsRead + 1}),
    matching as (
      select k.* from near k where ($5::text is null or k.effect = $5) and ($6::text is null or k.mode = $6) and ${isTool})
    select (select count(*) from near) > ${mostKindsRead} as is_cut,
      exists (select from decision_kinds k where k.tenant_id = $1 and k.tool = '${otherTool}') as has_other,
      array(select distinct decision_kind_hash(k.environment_id, k.policy_id, k.rule_id, k.effect, k.mode, k.tool)::text
        from matching k limit $7) as hashes`
  const found = await db.one(
    raw<{ is_cut: boolean; has_other: boolean; hashes: string[] }>(text, [
      db.tenantId,
      filters.policy_id ?? null,
      filters.rule_id ?? null,
      filters.environment_id ?? null,
      filters.effect ?? null,
      filters.mode ?? null,
      most + 1,
      tool.exact,
      tool.regex,
    ]),
  )
  return found.is_cut || found.has_other || found.hashes.length > most ? null : found.hashes
}

/** Calls of a session that are read to count those that the actor sees. */
const mostOfSession = 20_000

/**
 * Counts the calls of a session that the actor sees, up to `most`, and returns when the first of them was decided. For an actor who does not see
 * every agent, counts among the first 20,000 calls of the session: other agents may fill the session.
 */
export async function countSession(
  db: Sql,
  actor: Member,
  sessionId: string,
  partitions: readonly Partition[],
  { most, now }: { most: number; now: string },
): Promise<{ calls: number; first_at: string | null }> {
  const byRetention = Map.groupBy(partitions, ({ retentionDays }) => retentionDays)
  const found = await Promise.all(
    [...byRetention].map(([retention, same]) => {
      const days = same.map(({ day }) => day)
      const [filedFrom, filedTo] = [iso(Math.min(...days)), iso(Math.max(...days) + dayMs)]
      const values = { sessionId, most, mostRead: mostOfSession, now, retention, filedFrom, filedTo }
      return db.one(sessionStatement(actor, {}, values))
    }),
  )
  const firsts = found.flatMap(({ first_at }) => first_at ?? []).sort()
  return {
    calls: Math.min(
      most,
      found.reduce((sum, { calls }) => sum + calls, 0),
    ),
    first_at: firsts[0] ?? null,
  }
}

const sessionStatement = statementsBySight({}, ({ sight }) => {
  const isVisible = narrowedBy(sight, {
    bound: 'r.environment_id = :environmentId',
    scoped: `(${agentOfRecordIsVisible('scoped', 'r')})`,
  })
  return namedSql<{ calls: number; first_at: string | null }>(`
    with looked as materialized (
      select r.at, r.agent_id, r.environment_id from decision_records r
      where r.tenant_id = :tenantId and r.retention_days = :retention::int
        and r.filed_at >= :filedFrom::timestamptz and r.filed_at < :filedTo::timestamptz
        and r.session_id = :sessionId and r.result_of is null
        and r.at >= :now::timestamptz - make_interval(days => :retention::int)
      order by r.at limit ${sight === 'all' ? ':most::int' : ':mostRead::int'}),
    seen as (select r.at from looked r where ${isVisible} is true order by r.at limit :most::int)
    select count(*) as calls, min(s.at) as first_at from seen s`)
})

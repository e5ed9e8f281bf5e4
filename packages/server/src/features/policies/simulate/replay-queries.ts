import type { DecisionReplay } from '@mandate/contract/policies/policies'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import {
  agentIsVisible,
  agentOfRecordIsVisible,
  testedAgentIsVisible,
  visibleAgentIds,
} from '../../../authz/visibility.ts'
import type { Sql } from '../../../db/database.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw } from '../../../db/statements/statement.ts'
import { tenantSubjects } from '../../decisions/records/count-decisions.ts'
import { isStillKept, type StoredArguments } from '../../decisions/records/kept-arguments.ts'

type Example = DecisionReplay['examples'][number]

/** Recorded decisions that were counted together. `lastAt` is the start of the last hour or day that has some of them. */
export interface RecordedKind {
  id: string
  tool: string
  /** Null if the records name none. */
  environmentId: string | null
  was: Example['was']
  mode: Example['mode']
  policyVersion: number | null
  /** Null if the default effect decided, or content rules did. */
  ruleId: string | null
  calls: number
  lastAt: string
}

export interface Span {
  policyId: string
  /** The only agent whose decisions count. Null for all agents. */
  agentId: string | null
  /** Start of an hour. ISO 8601. */
  from: string
  to: string
}

/** Agents whose calls are looked up if records do not name their policy. */
const mostAgents = 5_000
/** Rows of counts that are read to find the agents of calls. Each kind of calls has an equal share of them. */
const mostRows = 25_000
const countedAtMost = 10_000
/** Calls whose kept arguments are read. Each kind of calls has an equal share of them. */
const mostKeptCalls = 10_000

// The ids before it stand for the whole tenant in the tables of counts. See `tenantSubjects` and `totalSubjects`.
const firstAgentId = '00000000-0000-0000-0000-0000000000ff'
// As constants in the text. With a join, PostgreSQL would read the counts of all agents.
const tenantIds = tenantSubjects.map((id) => `'${id}'::uuid`).join(', ')

// Whole days come from the counts by day, the hours before the first and after the last whole day from those by hour.
const countedRows = (ofSubjects: (table: string) => string) =>
  ['hour', 'day']
    .map(
      (grain) =>
        `select c.kind_id, c.calls, c.bucket, c.subject_id from ${ofSubjects(`decision_${grain}s`)} and ${
          grain === 'day'
            ? 'c.bucket >= :firstDay::timestamptz and c.bucket < :today::timestamptz'
            : '((c.bucket >= :from::timestamptz and c.bucket < :firstDay::timestamptz) or (c.bucket >= :lastHours::timestamptz and c.bucket <= :to::timestamptz))'
        }`,
    )
    .join(' union all ')

/**
 * Counts recorded decisions by kind, the most frequent first. Decisions belong to the policy that their record names. A record without a
 * policy belongs to the policy that its agent has now.
 */
const countStatement = statementsBySight({ byAgent: [true, false] }, ({ sight, byAgent }) => {
  const agents = `select a.id, a.policy_id from agents a where a.tenant_id = :tenantId and a.status <> 'archived'
    and (a.policy_id = :policyId or :namesPolicy) and (:agentId::uuid is null or a.id = :agentId::uuid) and a.id in (select v.agent_id from (${visibleAgentIds(sight)}) v)
    order by a.id desc limit :mostAgents::int`
  const ofSubjects = (table: string) =>
    byAgent
      ? `(${agents}) s join ${table} c on c.tenant_id = :tenantId and c.subject_id = s.id where true`
      : `${table} c where c.tenant_id = :tenantId and c.subject_id in (${tenantIds})`
  return namedSql<{
    id: string
    tool: string
    environment_id: string | null
    was: RecordedKind['was']
    mode: RecordedKind['mode']
    policy_version: number | null
    rule_id: string | null
    calls: number
    last_at: string
    found: number
  }>(`
    with counted as materialized (
      select r.kind_id, sum(r.calls)::bigint as calls, max(r.bucket) as last_at from (${countedRows(ofSubjects)}) r group by r.kind_id)
    select k.id, k.tool, k.environment_id, k.effect as was, k.mode, k.policy_version, k.rule_id, c.calls, c.last_at, count(*) over () as found
    from counted c join decision_kinds k on k.tenant_id = :tenantId and k.id = c.kind_id
    where case when :namesPolicy then k.policy_id = :policyId else k.policy_id is null end
      and (:environmentId::uuid is null or k.environment_id = :environmentId::uuid)
    order by c.calls desc, k.tool, k.effect, k.id limit :mostKinds::int`)
})

const dayMs = 24 * 60 * 60_000
const startOfDay = (ms: number) => new Date(Math.floor(ms / dayMs) * dayMs).toISOString()

function timesOf({ from, to }: Span) {
  const firstDay = startOfDay(Date.parse(from) + dayMs - 1)
  const today = startOfDay(Date.parse(to))
  // In a span within one day, there is no whole day.
  const lastHours = today < firstDay ? firstDay : today
  return { from, to, firstDay, today, lastHours }
}

/** `namesPolicy` chooses the records that name the policy, or those that name none. Run it with `planForValues`. */
export async function countKinds(
  db: Sql,
  actor: Member,
  span: Span,
  { namesPolicy, byAgent, mostKinds }: { namesPolicy: boolean; byAgent: boolean; mostKinds: number },
): Promise<{ kinds: RecordedKind[]; found: number }> {
  const { policyId, agentId } = span
  const values = { ...timesOf(span), policyId, agentId, namesPolicy, mostAgents, mostKinds }
  const rows = await db.all(countStatement(actor, { byAgent }, values))
  return {
    kinds: rows.map(({ policy_version, environment_id, rule_id, last_at, found: _, ...kind }) => ({
      ...kind,
      policyVersion: policy_version,
      environmentId: environment_id,
      ruleId: rule_id,
      lastAt: last_at,
    })),
    found: rows[0]?.found ?? 0,
  }
}

/** Most versions of a policy whose rules are read. Calls of other versions count with their recorded effect. */
const mostVersions = 100

const holdsText = `
  select v.version, null as rule_id from policy_versions v
  where v.tenant_id = $1 and v.policy_id = $2 and v.version = any($3::int[]) and v.snapshot ->> 'default_effect' = 'require_approval'
  union all
  select v.version, r.value ->> 'id' from policy_versions v cross join lateral jsonb_array_elements(v.snapshot -> 'rules') r
  where v.tenant_id = $1 and v.policy_id = $2 and v.version = any($3::int[]) and r.value ->> 'effect' = 'require_approval'`

/** Returns the rules of versions that require an approval, and null for a version whose default effect does. */
export async function findHolds(
  db: Sql,
  policyId: string,
  versions: readonly number[],
): Promise<{ version: number; rule_id: string | null }[]> {
  const newest = [...versions].sort((a, b) => b - a).slice(0, mostVersions)
  if (newest.length === 0) return []
  return await db.all(raw<{ version: number; rule_id: string | null }>(holdsText, [db.tenantId, policyId, newest]))
}

const seenAgent = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string; name: string; policy_id: string | null }>(
    `select a.id, a.name, case when a.status <> 'archived' then a.policy_id end as policy_id
     from agents a where a.tenant_id = :tenantId and a.id = :agentId and ${agentIsVisible(sight, 'a')}`,
  ),
)

/** Returns an agent that the actor sees. An archived agent has no policy, because a replay does not count it. */
export const findSeenAgent = (db: Sql, actor: Member, agentId: string) => db.maybe(seenAgent(actor, {}, { agentId }))

const noPolicyStatement = statementsBySight({}, () =>
  namedSql<{ found: boolean }>(
    'select exists (select from decision_kinds k where k.tenant_id = :tenantId and k.policy_id is null and k.tool <> :total) as found',
  ),
)

/** True if the tenant has counts of decisions whose records name no policy. */
export async function hasUnnamed(db: Sql, actor: Member): Promise<boolean> {
  return (await db.one(noPolicyStatement(actor, {}, { total: '' }))).found
}

const agentsOfPolicy = statementsBySight({}, ({ sight }) =>
  namedSql<{ total: number }>(`select count(*) as total from (
    select from agents a where a.tenant_id = :tenantId and a.policy_id = :policyId and a.status <> 'archived'
      and ${agentIsVisible(sight, 'a')} limit :countedAtMost::int) s`),
)

/** Counts the agents under a policy that the actor sees, up to 10,000. */
export async function countAgentsOf(db: Sql, actor: Member, policyId: string): Promise<number> {
  return (await db.one(agentsOfPolicy(actor, {}, { policyId, countedAtMost }))).total
}

// A caller who sees every agent needs no look-up of each, which would take most of the time. Only edges must be left out then.
const affectedStatement = statementsBySight({}, ({ sight }) => {
  const ofEdges =
    'select count(*) from edges e where e.tenant_id = :tenantId and e.id in (select subject_id from subjects)'
  const visible = `select count(*) from subjects r where (select true from agents a
    where a.tenant_id = :tenantId and a.id = r.subject_id and ${testedAgentIsVisible(sight, 'a')} limit 1)`
  return namedSql<{ total: number }>(`
    with subjects as materialized (
      select distinct r.subject_id from unnest(:kindIds::uuid[]) as x (id) cross join lateral (
        select c.subject_id from decision_days c
        where c.tenant_id = :tenantId and c.kind_id = x.id and c.bucket >= :from::timestamptz and c.subject_id > :firstAgentId
        order by c.bucket desc limit :share::int) r)
    select least(:countedAtMost::int, ${sight === 'all' ? `(select count(*) from subjects) - (${ofEdges})` : `(${visible})`})::int as total`)
})

/** Counts the agents that made calls of the kinds, up to 10,000. Reads at most 25,000 counts, the newest days of each kind first. */
export async function countAgentsWith(
  db: Sql,
  actor: Member,
  kindIds: readonly string[],
  { from }: Span,
): Promise<number> {
  if (kindIds.length === 0) return 0
  const share = Math.ceil(mostRows / kindIds.length)
  const values = { kindIds, from: startOfDay(Date.parse(from)), firstAgentId, share, countedAtMost }
  return (await db.one(affectedStatement(actor, {}, values))).total
}

const exampleStatement = statementsBySight({}, ({ sight }) =>
  namedSql<{ kind_id: string; id: string; name: string }>(`
    select x.id as kind_id, f.id, f.name from unnest(:kindIds::uuid[]) as x (id) cross join lateral (
      select a.id, a.name from (
        select c.subject_id from decision_days c
        where c.tenant_id = :tenantId and c.kind_id = x.id and c.bucket >= :from::timestamptz and c.subject_id > :firstAgentId
        order by c.bucket desc limit 1000) r
      join agents a on a.tenant_id = :tenantId and a.id = r.subject_id and ${agentIsVisible(sight, 'a')} limit 1) f`),
)

/** Returns for each kind an agent that made calls of this kind and that the actor sees. Kinds without such an agent are left out. */
export async function findAgentsWith(
  db: Sql,
  actor: Member,
  kindIds: readonly string[],
  { from }: Span,
): Promise<Map<string, { id: string; name: string }>> {
  if (kindIds.length === 0) return new Map()
  const values = { kindIds, from: startOfDay(Date.parse(from)), firstAgentId }
  const rows = await db.all(exampleStatement(actor, {}, values))
  return new Map(rows.map(({ kind_id, id, name }) => [kind_id, { id, name }]))
}

/** Calls of a kind whose kept arguments are equal. */
export interface KeptCalls {
  kindId: string
  arguments: StoredArguments
  calls: number
  lastAt: string
}

const keptStatement = statementsBySight({}, ({ sight }) =>
  namedSql<KeptCalls>(`
    select k.kind_id as "kindId", k.arguments, count(*)::int as calls, max(k.at) as "lastAt"
    from unnest(:kindIds::uuid[]) as x (id) cross join lateral (
      select r.kind_id, r.arguments - 'salt' as arguments, r.at from (
        select * from decision_arguments r
        where r.tenant_id = :tenantId and r.kind_id = x.id and r.at >= :from::timestamptz and r.at <= :to::timestamptz
        order by r.at desc limit 5 * :share::int) r
      where r.filed_at >= :to::timestamptz - make_interval(days => r.retention_days)
        and (:agentId::uuid is null or r.agent_id = :agentId::uuid) and ${agentOfRecordIsVisible(sight, 'r')} is true and ${isStillKept}
      order by r.at desc limit :share::int) k
    group by k.kind_id, k.arguments order by calls desc, k.kind_id, k.arguments::text limit :most::int`),
)

/**
 * Returns what is kept of the arguments of calls that the actor sees: of the newest calls of each kind, and at most `most` different ones. Looks
 * for them among five times as many of the newest calls of all agents.
 */
export async function findKeptCalls(
  db: Sql,
  actor: Member,
  kindIds: readonly string[],
  { from, to, agentId }: Span,
  most: number,
): Promise<KeptCalls[]> {
  if (kindIds.length === 0) return []
  const share = Math.ceil(mostKeptCalls / kindIds.length)
  return await db.all(keptStatement(actor, {}, { kindIds, from, to, agentId, share, most }))
}

import type { timelineTypes } from '@mandate/contract/words/agent-words'
import { sql as fragment, type RawBuilder } from 'kysely'
import { entryVisibleTo } from '../../../audit/entry-visibility.ts'
import type { AuditEvent } from '../../../audit/events.ts'
import type { Member } from '../../../authz/actor.ts'
import { statementsBySight } from '../../../authz/by-sight.ts'
import type { Sql } from '../../../db/database.ts'
import { lowestIdAfter, lowestIdFrom } from '../../../db/ids/id-time.ts'
import { namedSql } from '../../../db/statements/named-parameters.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { freezeIsVisible } from '../../freezes/freeze-visibility.ts'

/** Maximum number of audit entries that one request tests for each of the agent and its policies. */
export const lookedAtMost = 5000

export type TimelineType = (typeof timelineTypes)[number]

// The types `drift` and `approval` have the events of findings and reviews, and depend on the details.
const events: Partial<Record<AuditEvent, TimelineType>> = {
  'agent.created': 'lifecycle',
  'agent.discovered': 'lifecycle',
  'agent.updated': 'lifecycle',
  'agent.suppressed': 'lifecycle',
  'agent.archived': 'lifecycle',
  'agent.lifecycle.changed': 'lifecycle',
  'agent.suspended': 'suspension',
  'agent.resumed': 'suspension',
  'freeze.started': 'freeze',
  'freeze.lifted': 'freeze',
  'freeze.drilled': 'freeze',
  'agent.policy_assigned': 'policy',
  'agent.key_rotated': 'key',
  'review.opened': 'review',
  'review.resolved': 'review',
  'finding.opened': 'finding',
  'finding.closed': 'finding',
  'policy.created': 'version',
  'policy.updated': 'version',
  'policy.rule_created': 'version',
  'policy.rule_updated': 'version',
  'policy.rule_deleted': 'version',
  'policy.restored': 'version',
}

// The words are constants of this file and contain no quotes.
const byEvent = Object.entries(events).map(([event, type]) => `when '${event}' then '${type}'`)
const typeOf = fragment.raw<TimelineType>(`case
  when e.event_type like 'finding.%' and e.details ->> 'type' = 'policy_drift_unapproved' then 'drift'
  when e.event_type = 'review.resolved' and e.details ->> 'approved' is not null then 'approval'
  else case e.event_type ${byEvent.join(' ')} end end`)

export interface TimelineRow {
  id: string
  at: string
  type: TimelineType
  event_type: string
  actor_type: string
  actor_user_id: string | null
  actor_name: string
  resource_type: string
  resource_id: string | null
  resource_name: string
  details: Record<string, unknown>
}

export interface TimelineSearch {
  agentId: string
  /** The policies whose versions are part of the timeline. */
  policyIds: readonly string[]
  /** The freezes of the agent's environment and of the organization that are part of the timeline. The actor must see them. */
  freezeIds: readonly string[]
  types: readonly TimelineType[]
  from: string | undefined
  to: string | undefined
  afterId: string | undefined
  limit: number
}

interface Page {
  rows: TimelineRow[]
  /** The next page has entries with lower ids. Null on the last page. */
  nextAfter: string | null
}

/**
 * Returns events of an agent, newest first. Reads the newest entries of the agent, of each policy and of the freezes from an
 * index, at most `lookedAtMost` of each, and merges them. The page ends where one of these reads ended.
 */
export async function findTimeline(db: Sql, actor: Member, search: TimelineSearch): Promise<Page> {
  const { agentId, policyIds, freezeIds, types, from, to, afterId, limit } = search
  const span = fragment.join(
    [
      fragment`e.tenant_id = ${db.tenantId}`,
      ...(from === undefined ? [] : [fragment`e.created_at >= ${from} and e.id >= ${lowestIdFrom(from)}`]),
      ...(to === undefined ? [] : [fragment`e.created_at < ${to} and e.id < ${lowestIdAfter(to)}`]),
      ...(afterId === undefined ? [] : [fragment`e.id < ${afterId}`]),
    ],
    fragment` and `,
  )
  const conditions = [
    ...(types.some((type) => type !== 'version') ? [fragment`e.agent_id = ${agentId}`] : []),
    ...(types.includes('version')
      ? policyIds.map((id) => fragment`e.resource_id = ${id} and e.category = 'policy'`)
      : []),
    ...(types.includes('freeze') && freezeIds.length > 0
      ? [fragment`e.resource_id = any(${freezeIds}::uuid[]) and e.category = 'agent'`]
      : []),
  ]
  if (conditions.length === 0) return { rows: [], nextAfter: null }
  const read = (condition: RawBuilder<unknown>, columns: string, end: string) => fragment`
    (select ${fragment.raw(columns)} from audit_entries e where ${condition} and ${span} order by e.id desc ${fragment.raw(end)})`
  const reads = conditions.map((condition) => read(condition, 'e.*', `limit ${lookedAtMost}`))
  const ends = conditions.map((condition) => read(condition, 'e.id', `offset ${lookedAtMost - 1} limit 1`))
  const { sql: text, parameters } = fragment`
    with ended as materialized (select id from (${fragment.join(ends, fragment` union all `)}) e order by id desc limit 1)
    select t.*, ended.id as ended_at from (
      select e.id, wire_time(e.created_at) as at, ${typeOf} as type, e.event_type, e.actor_type, e.actor_user_id,
        coalesce(nullif(e.actor_name, ''), e.actor_email) as actor_name, e.resource_type, e.resource_id, e.resource_name, e.details
      from (${fragment.join(reads, fragment` union all `)}) e
      where (${entryVisibleTo(actor)} or e.resource_id = any(${freezeIds}::uuid[])) and ${typeOf} = any(${types})
        and not exists (select from ended where ended.id > e.id)
      order by e.id desc limit ${limit + 1}) t
    right join (select (select id from ended) as id) ended on true order by t.id desc`.compile(sql)
  const found = await db.all(raw<TimelineRow & { ended_at: string | null }>(text, parameters))
  const all = found.filter(({ id }) => id !== null)
  const rows = all.slice(0, limit)
  const isMore = all.length > limit
  return { rows, nextAfter: isMore ? (rows.at(-1)?.id ?? null) : (found[0]?.ended_at ?? null) }
}

/** Returns the assigned and the approved policy of an agent. */
export async function findPolicyIds(db: Sql, agentId: string): Promise<string[]> {
  const text = `select distinct p.id from agents a cross join lateral (values (a.policy_id), (a.approved_policy_id)) p (id)
    where a.tenant_id = $1 and a.id = $2 and p.id is not null`
  return (await db.all(raw<{ id: string }>(text, [db.tenantId, agentId]))).map(({ id }) => id)
}

/** Maximum number of freezes of the environment and of the organization in a timeline: the newest. */
const mostFreezes = 100

const newestFreezes = (target: string) => `(
  select z.*, coalesce(z.lifted_at, case when z.drill then z.created_at end) as ended_at from freezes z
  where z.tenant_id = :tenantId and z.target_id = ${target} order by z.id desc limit ${mostFreezes})`

const freezesOf = statementsBySight({}, ({ sight }) =>
  namedSql<{ id: string }>(`select z.id from agents a
    cross join lateral (${newestFreezes('a.environment_id')} union all ${newestFreezes(':tenantId')}) z
    where a.tenant_id = :tenantId and a.id = :agentId and (z.ended_at is null or z.ended_at >= a.created_at)
      and ${freezeIsVisible(sight)}`),
)

/** Returns freezes of the agent's environment and of the organization that the actor sees, since the agent exists. */
export async function findFreezeIds(db: Sql, actor: Member, agentId: string): Promise<string[]> {
  return (await db.all(freezesOf(actor, {}, { agentId }))).map(({ id }) => id)
}

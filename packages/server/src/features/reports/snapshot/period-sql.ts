import { sql as fragment, type RawBuilder } from 'kysely'
import type { AuditEvent } from '../../../audit/events.ts'
import { lowestIdAfter, lowestIdFrom } from '../../../db/ids/id-time.ts'
import type { Period } from './period.ts'
import { list, person, time } from './report-json.ts'

const { raw: text } = fragment

const frozen = `case e.details ->> 'scope' when 'agent' then 'the agent'
  when 'environment' then concat('the environment ', e.resource_name) else 'the organization' end`

/**
 * What people did about an agent: SQL for the summary of each kind of audit entry. The summary continues the name of the person, as
 * in "Olivia approved the change review".
 */
const summaries: Partial<Record<AuditEvent, string>> = {
  'agent.created': `'registered the agent'`,
  'agent.policy_assigned': `concat('assigned the policy ', e.details ->> 'policy_name')`,
  'agent.lifecycle.changed': `concat('changed the lifecycle from ', e.details ->> 'previous_state', ' to ', e.details ->> 'new_state')`,
  'agent.suspended': `'suspended the agent'`,
  'agent.resumed': `'resumed the agent'`,
  'agent.key_rotated': `'rotated the key of the agent'`,
  'review.resolved': `concat(e.details ->> 'outcome', ' the ', e.details ->> 'kind', ' review')`,
  'approval.resolved': `concat(e.details ->> 'outcome', ' the call ', e.resource_name)`,
  'freeze.started': `concat('froze ', ${frozen})`,
  'freeze.lifted': `concat('lifted the freeze of ', ${frozen})`,
  'finding.accepted': `'accepted the finding'`,
}
const summary = `case e.event_type ${Object.entries(summaries)
  .map(([event, said]) => `when '${event}' then ${said}`)
  .join(' ')} end`

const policyAt = (id: string, version: string, hash: string) =>
  `jsonb_build_object('policy_id', ${id}, 'version', ${version}, 'content_hash', ${hash})`

/** The policy version that an audit entry is about. An approval of a call has the version that held the call. */
const policy = `case
  when c.id is not null then ${policyAt('c.policy_id', 'c.policy_version', 'c.policy_hash')}
  when e.details ->> 'approved' is not null then ${policyAt(
    `e.details #> '{approved,policy_id}'`,
    `e.details #> '{approved,version}'`,
    `e.details #> '{approved,content_hash}'`,
  )}
  when e.event_type = 'agent.policy_assigned' then ${policyAt(
    `e.details -> 'new_policy_id'`,
    `e.details -> 'policy_version'`,
    'null',
  )} end`

/** The columns of `q` that the other statements of this file read: the period and the environment of the report. */
export const periodColumns = (period: Period, environmentId: string | null): RawBuilder<unknown> => fragment`
  ${period.from}::timestamptz as period_from, ${period.to}::timestamptz as period_to, ${environmentId}::uuid as environment_id,
  ${lowestIdFrom(period.from)}::uuid as first_id, ${lowestIdAfter(period.to)}::uuid as end_id`

/** Selects the calls of the agents in `seen` that edges decided in the period. Reads the counts of whole days. */
export const decidedCalls = (tenantId: string): RawBuilder<unknown> => fragment`
  select s.id, s.name, d.allow, d.deny, d.require_approval from seen s cross join q cross join lateral (
    select ${text(['allow', 'deny', 'require_approval'].map((effect) => `coalesce(sum(d.calls) filter (where k.effect = '${effect}'), 0)::bigint as ${effect}`).join(', '))}
    from decision_days d join decision_kinds k on k.tenant_id = d.tenant_id and k.id = d.kind_id
    where d.tenant_id = ${tenantId} and d.subject_id = s.id and d.bucket >= q.period_from and d.bucket < q.period_to
      and (q.environment_id is null or k.environment_id = q.environment_id)
    having count(*) > 0) d`

const isOfPeriod = `e.id >= q.first_id and e.id < q.end_id
      and e.created_at >= q.period_from and e.created_at <= q.period_to and e.actor_user_id is not null`

/**
 * Maximum number of freezes, and of ends of freezes, of more than one agent. Each is an act about each of the agents, so more of them would leave
 * little room for other acts in the list.
 */
export const mostWideFreezes = 10

/** Selects the newest freezes of the organization and of environments in the period, and their ends. */
export const wideFreezes = (tenantId: string, most: number): RawBuilder<unknown> => fragment`
  select e.* from q cross join lateral (
    select e.* from audit_entries e
    where e.tenant_id = ${tenantId} and e.event_type in ('freeze.started', 'freeze.lifted') and e.agent_id is null
      and ${text(isOfPeriod)}
    order by e.id desc limit ${text(String(most))}) e`

/**
 * Selects what people did about the agents in `seen` in the period, from the audit trail. So the names are those of that time, and
 * they stay when a user is removed. Looks up the entries of each agent by the agent's id. Freezes of more agents come from `wide`,
 * see `wideFreezes`.
 */
export const actsOfPeople = (tenantId: string): RawBuilder<unknown> => fragment`
  select e.id, e.created_at, e.event_type, e.actor_user_id, e.actor_name, e.actor_email, s.id as agent_id, s.name as agent_name,
    ${text(summary)} as summary, ${text(policy)} as policy, coalesce(e.details ->> 'comment', e.details ->> 'reason') as comment
  from seen s cross join q cross join lateral (
    (select e.* from audit_entries e
    where e.tenant_id = ${tenantId} and e.agent_id = s.id and ${text(isOfPeriod)}
      and e.event_type in (${text(
        Object.keys(summaries)
          .map((event) => `'${event}'`)
          .join(', '),
      )})
      and (q.environment_id is null or e.environment_id = q.environment_id) offset 0)
    union all
    select e.* from wide e
    where e.created_at >= s.created_at and (e.details ->> 'scope' = 'organization' or e.environment_id = s.environment_id)) e
  left join approvals c on e.event_type = 'approval.resolved' and c.tenant_id = e.tenant_id and c.id = e.resource_id`

/** SQL for the counts of the period. It reads the subqueries `calls` (see `decidedCalls`) and `acts` (see `actsOfPeople`). */
export const periodCounts = `'events', (select count(*) from acts),
  'decisions', (select jsonb_build_object('allow', coalesce(sum(allow), 0), 'deny', coalesce(sum(deny), 0),
    'require_approval', coalesce(sum(require_approval), 0)) from calls)`

/** SQL for the fields of a report that list decisions and events. It reads the same subqueries as `periodCounts`. */
export const periodLists = `'decisions', ${list(
  `'agent_id', s.id, 'agent_name', s.name, 'allow', s.allow, 'deny', s.deny, 'require_approval', s.require_approval`,
  'calls s',
)}, 'events', ${list(
  `'id', s.id, 'at', ${time('s.created_at')}, 'event_type', s.event_type, 'summary', s.summary, 'by', ${person('s')},
   'agent_id', s.agent_id, 'agent_name', s.agent_name, 'policy', s.policy, 'comment', s.comment`,
  'acts s',
)}`

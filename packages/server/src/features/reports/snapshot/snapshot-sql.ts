import { sql as fragment, type RawBuilder } from 'kysely'
import { coverageJoins, coverageState } from '../../../agent-state/coverage.ts'
import { driftSql } from '../../../agent-state/drift.ts'
import { governanceModeSql } from '../../../agent-state/governance-mode.ts'
import type { Member } from '../../../authz/actor.ts'
import { policyVisibleTo } from '../../../authz/visibility.ts'
import { periodCounts, periodLists } from './period-sql.ts'
import { list, person, time } from './report-json.ts'

const { raw: text } = fragment

/** SQL table aliases: `v` is the agent's evidence (what its edge reported), and `f` is its open findings. */
const evidence = { evidence: 'v', findings: 'f' }

const approved = `'approved', jsonb_build_object('policy_id', s.approved_policy_id, 'version', s.approved_version,
  'content_hash', s.approved_hash)`
const running = `'running', jsonb_build_object('policy_id', s.running_policy_id, 'version', s.running_version,
  'content_hash', s.running_hash)`
const ofAgent = `'agent_id', s.id, 'agent_name', s.name`

/**
 * SQL for the counts of a report. It reads the subqueries `seen` (agents, see `joinedAgent`), `faults` (open findings, see
 * `openFindings`), `calls` and `acts` (see `periodCounts`).
 */
export const agentCounts = `jsonb_build_object(
  'agents', (select count(*) from seen),
  'approvals', (select count(*) from seen where approved_policy_id is not null),
  'drift', (select count(*) from seen where drift),
  'coverage', (select coalesce(jsonb_object_agg(c.coverage, c.n), '{}')
    from (select coverage, count(*) as n from seen group by coverage) c),
  'findings', (select count(*) from faults), ${periodCounts})`

const agents = list(
  `'id', s.id, 'name', s.name, 'status', s.status, 'source', s.source, 'governance_state', s.governance_state,
   'governance_mode', s.governance_mode, 'lifecycle_status', s.lifecycle_status, 'environment_id', s.environment_id,
   'policy', case when s.policy_id is not null then
     jsonb_build_object('id', s.policy_id, 'name', s.policy_name, 'version', s.policy_version) end,
   'owner', case when u.id is not null then
     jsonb_build_object('user_id', u.id, 'display_name', u.display_name, 'email', u.email) end,
   'last_heartbeat_at', ${time('s.last_heartbeat_at')}`,
  'seen s left join users u on u.tenant_id = s.tenant_id and u.id = s.owner_user_id',
)
const approvals = list(
  `${ofAgent}, 'lifecycle_status', s.lifecycle_status, ${approved},
   'review', case when v.id is not null then jsonb_build_object('id', v.id, 'kind', v.kind, 'status', v.status,
     'resolved_at', ${time('v.resolved_at')}, 'comment', v.comment,
     'reviewer', case when e.id is not null then ${person('e')} end) end`,
  `seen s left join lateral (
     select id, kind, status, resolved_at, comment from reviews r
     where r.tenant_id = s.tenant_id and r.agent_id = s.id and r.status in ('approved', 'attested')
     order by r.resolved_at desc, r.id desc limit 1) v on true
   left join lateral (
     select e.id, e.actor_user_id, e.actor_name, e.actor_email from audit_entries e
     where e.tenant_id = s.tenant_id and e.resource_id = v.id and e.event_type = 'review.resolved' and e.actor_user_id is not null
     order by e.id desc limit 1) e on true
   where s.approved_policy_id is not null`,
)
const drift = list(`${ofAgent}, ${approved}, ${running}`, 'seen s where s.drift')
const coverage = list(`${ofAgent}, 'state', s.coverage`, 'seen s')
const findings = list(
  `'id', s.id, 'agent_id', s.agent_id, 'agent_name', s.agent_name, 'type', s.type, 'severity', s.severity,
   'remediation', s.remediation, 'opened_at', ${time('s.opened_at')}`,
  'faults s',
)

/**
 * SQL for the fields of the report that list agents, findings and what happened in the period. It reads the same subqueries as
 * `agentCounts`.
 */
export const agentLists = `'agents', ${agents}, 'approvals', ${approvals}, 'drift', ${drift}, 'coverage', ${coverage},
  'findings', ${findings}, ${periodLists}`

/** SQL for the JSON list of policies. It reads the subquery `rulebooks` (policies, see `visiblePolicies`). */
export const policyList = list(
  `'id', s.id, 'name', s.name, 'environment_id', s.environment_id, 'override_mode', s.override_mode,
   'default_effect', s.default_effect, 'version', s.version, 'content_hash', s.content_hash,
   'rules', (select count(*) from policy_rules r where r.tenant_id = s.tenant_id and r.policy_id = s.id),
   'saved_by', v.saved_by, 'saved_at', ${time('v.saved_at')}`,
  `rulebooks s left join policy_versions v on v.tenant_id = s.tenant_id and v.policy_id = s.id and v.version = s.version`,
)

/**
 * Selects the agents in the subquery `from`, with the alias `a`. Adds the columns that a report shows, such as drift and
 * coverage at the time `q.now`.
 */
export const joinedAgent = (from: RawBuilder<unknown>): RawBuilder<unknown> => fragment`
  select a.*, p.name as policy_name, p.version as policy_version, ${text(governanceModeSql({ policy: 'p', environment: 'e' }))} as governance_mode,
    r.last_heartbeat_at, r.running_policy_id, r.running_version, r.running_hash,
    ${text(driftSql({ agent: 'a', policyId: 'r.running_policy_id', hash: 'r.running_hash' }))} as drift, ${text(coverageState({ ...evidence, now: 'q.now' }))} as coverage
  from ${from} a cross join q
  left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
  left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
  left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
  ${text(coverageJoins({ agent: 'a', ...evidence }))}`

/**
 * Selects the policies that the actor sees. If an environment is given, these are its policies and the policies for all
 * environments.
 */
export function visiblePolicies(tenantId: string, actor: Member, environmentId: string | null): RawBuilder<unknown> {
  const inScope =
    environmentId === null
      ? fragment`true`
      : fragment`(p.environment_id = ${environmentId} or p.environment_id is null)`
  return fragment`select p.* from policies p
    where p.tenant_id = ${tenantId} and ${inScope} and ${policyVisibleTo(actor, 'p')}`
}

/**
 * Selects the open findings of the agents in `seen`. It looks up the findings of each agent by the agent's id, so its cost does
 * not grow with the number of findings in the tenant.
 */
export const openFindings = (tenantId: string): RawBuilder<unknown> => fragment`
  select f.*, s.name as agent_name from seen s cross join lateral (
    select f.* from findings f
    where f.tenant_id = ${tenantId} and f.agent_id = s.id and f.status = 'open' offset 0) f`

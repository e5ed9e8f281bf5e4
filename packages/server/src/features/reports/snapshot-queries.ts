import type { ReportSnapshot } from '@mandate/contract/reports'
import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo, policyVisibleTo } from '../../authz/visibility.ts'
import type { Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'
import { coverageEvidence, coverageState } from '../agents/coverage-state.ts'
import { driftSql } from '../agents/drift.ts'
import { governanceModeSql } from '../policies/governance-mode.ts'

export type Gathered = Omit<ReportSnapshot, 'organization' | 'environment'>

/**
 * How the agents and policies that the actor sees stand at `now`, in an environment or (null) anywhere. One statement, so
 * that its parts and counts agree whatever is written meanwhile.
 */
export async function gatherSnapshot(tx: Tx, actor: Member, environmentId: string | null, now: string) {
  const { sql: text, parameters } = snapshotOf(tx.tenantId, actor, environmentId, now).compile(sql)
  return (await tx.one(raw<{ snapshot: Gathered }>(text, parameters))).snapshot
}

// What one report may hold and a page may show; the counts are of everything.
const listedAtMost = 10_000

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const list = (item: string, from: string) => `(select coalesce(jsonb_agg(x.item order by x.id desc), '[]') from (
  select s.id, jsonb_build_object(${item}) as item from ${from} order by s.id desc limit ${listedAtMost}) x)`

const approved = `'approved', jsonb_build_object('policy_id', s.approved_policy_id, 'version', s.approved_version,
  'content_hash', s.approved_hash)`
const running = `'running', jsonb_build_object('policy_id', s.running_policy_id, 'version', s.running_version,
  'content_hash', s.running_hash)`
const ofAgent = `'agent_id', s.id, 'agent_name', s.name`

const counts = `jsonb_build_object(
  'agents', (select count(*) from seen),
  'policies', (select count(*) from rulebooks),
  'approvals', (select count(*) from seen where approved_policy_id is not null),
  'drift', (select count(*) from seen where drift),
  'coverage', (select coalesce(jsonb_object_agg(c.coverage, c.n), '{}')
    from (select coverage, count(*) as n from seen group by coverage) c),
  'findings', (select count(*) from faults))`

const agents = list(
  `'id', s.id, 'name', s.name, 'status', s.status, 'source', s.source, 'governance_state', s.governance_state,
   'governance_mode', s.governance_mode, 'lifecycle_status', s.lifecycle_status, 'environment_id', s.environment_id,
   'policy', case when s.policy_id is not null then
     jsonb_build_object('id', s.policy_id, 'name', s.policy_name, 'version', s.policy_version) end,
   'last_heartbeat_at', ${time('s.last_heartbeat_at')}`,
  'seen s',
)
const policies = list(
  `'id', s.id, 'name', s.name, 'environment_id', s.environment_id, 'override_mode', s.override_mode,
   'default_effect', s.default_effect, 'version', s.version, 'content_hash', s.content_hash,
   'rules', coalesce(c.rules, 0)`,
  'rulebooks s left join rule_counts c on c.policy_id = s.id',
)
const approvals = list(
  `${ofAgent}, 'lifecycle_status', s.lifecycle_status, ${approved},
   'review', case when v.id is not null then jsonb_build_object('id', v.id, 'kind', v.kind, 'status', v.status,
     'resolved_at', ${time('v.resolved_at')}) end`,
  'seen s left join last_reviews v on v.agent_id = s.id where s.approved_policy_id is not null',
)
const drift = list(`${ofAgent}, ${approved}, ${running}`, 'seen s where s.drift')
const coverage = list(`${ofAgent}, 'state', s.coverage`, 'seen s')
const findings = list(
  `'id', s.id, 'agent_id', s.agent_id, 'agent_name', s.agent_name, 'type', s.type, 'severity', s.severity,
   'remediation', s.remediation, 'opened_at', ${time('s.opened_at')}`,
  'faults s',
)

function snapshotOf(tenantId: string, actor: Member, environmentId: string | null, now: string): RawBuilder<unknown> {
  const { raw: text } = fragment
  const ofEnvironment = environmentId === null ? fragment`true` : fragment`a.environment_id = ${environmentId}`
  const alsoEverywhere =
    environmentId === null
      ? fragment`true`
      : fragment`(p.environment_id = ${environmentId} or p.environment_id is null)`
  return fragment`
    with q as (select ${now}::timestamptz as now),
    seen as materialized (
      select a.*, p.name as policy_name, p.version as policy_version, ${text(governanceModeSql)} as governance_mode,
        r.last_heartbeat_at, r.running_policy_id, r.running_version, r.running_hash,
        ${text(driftSql('r.running_policy_id', 'r.running_hash'))} as drift, ${text(coverageState)} as coverage
      from agents a cross join q
      left join environments e on e.tenant_id = a.tenant_id and e.id = a.environment_id
      left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
      left join agent_runtime r on r.tenant_id = a.tenant_id and r.agent_id = a.id
      ${text(coverageEvidence)}
      where a.tenant_id = ${tenantId} and a.status <> 'archived' and ${ofEnvironment} and ${agentVisibleTo(actor, 'a')}
    ),
    rulebooks as materialized (
      select p.* from policies p
      where p.tenant_id = ${tenantId} and ${alsoEverywhere} and ${policyVisibleTo(actor, 'p')}
    ),
    rule_counts as (
      select policy_id, count(*) as rules from policy_rules where tenant_id = ${tenantId} group by policy_id
    ),
    last_reviews as (
      select distinct on (agent_id) agent_id, id, kind, status, resolved_at from reviews
      where tenant_id = ${tenantId} and status in ('approved', 'attested')
      order by agent_id, resolved_at desc, id desc
    ),
    faults as materialized (
      select f.*, s.name as agent_name from findings f join seen s on s.id = f.agent_id
      where f.tenant_id = ${tenantId} and f.status = 'open'
    )
    select jsonb_build_object('counts', ${text(counts)}, 'agents', ${text(agents)}, 'policies', ${text(policies)},
      'approvals', ${text(approvals)}, 'drift', ${text(drift)}, 'coverage', ${text(coverage)},
      'findings', ${text(findings)}) as snapshot`
}

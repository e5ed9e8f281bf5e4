import type { EdgeFeature } from '@mandate/contract/words/edge-features'
import { driftSql, driftStateSql, driftUnsettledSql, isOpenDriftFinding } from '../../../agent-state/drift.ts'
import { slotOf } from '../../../agent-state/heartbeat-slot.ts'
import { isReportedSql, unapprovedUnsettledSql } from '../../../agent-state/unapproved.ts'
import type { Tx } from '../../../db/database.ts'
import { planGroupOnce } from '../../../db/plan-once.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { ProfileState } from '../profiles/profile.ts'
import { type GivenProfile, givenColumns, stateColumns, stateJoins } from '../profiles/profile-queries.ts'
import type { Reach } from '../reach/reach.ts'

const reported = { policyId: 'n.policy_id', hash: 'n.hash' }

/** SQL condition: the tenant has a freeze or drill that edges may confirm. */
const hasOpenFreeze = 'exists (select from freezes z where z.tenant_id = $1 and z.is_open)'

/** SQL condition: the tenant has, or had, credentials of tools. Edges must learn that the last one was deleted. */
const hasCredentials = 'exists (select from credential_names c where c.tenant_id = $1)'

// One statement for all agents of several heartbeats. `beats` has the heartbeats, `said` has the agents and the number of the heartbeat
// that reports each. The agents that a heartbeat may read and change are those in the reach of its own credential: `served` compares each
// agent with the reach in the row of its heartbeat.
//
// The statement locks the rows of each table in one order, and one table after the other, so that statements about the same rows cannot
// deadlock. `heard` skips an edge that was heard in this second, so that the instances of one edge do not wait for one row. A heartbeat
// that is older than the last one of its edge instance changes nothing: `accepted` has the others. The statement does not write to the
// table of agents, because PostgreSQL would open all its indexes for each heartbeat: `settleHeartbeat` writes what changes in the rows of
// agents.
//
// A list of agents that did not change is assigned from the row itself, so that PostgreSQL does not store a long one again.
//
// PostgreSQL estimates that an array has ten elements, so it would join the lists of the statement in nested loops. The time would grow with
// the square of the number of agents. It cannot run a full join as a nested loop, so the lists are joined by full joins.
const heartbeatsText = `
  with beats as materialized (
    select * from unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::uuid[], $9::text[], $17::uuid[], $18::uuid[], $19::text[])
      with ordinality as b (credential_id, instance_id, seq, edge_version, seen_at, closes_at, edge_id, edge_name, reach_agent_id,
        reach_environment_id, features, beat)
  ), served as (
    select said.beat, a.id, a.name, a.status, a.lifecycle_status, a.governance_state, a.environment_id, a.policy_id, a.approved_policy_id,
      a.approved_hash, a.drift_state, a.heard, said.policy_id as said_policy_id, said.version as said_version,
      coalesce(said.hash, v.content_hash) as said_hash
    from unnest($10::int[], $11::uuid[], $12::uuid[], $13::uuid[], $14::uuid[], $15::int[], $16::text[])
      as said (beat, agent_id, reach_agent_id, reach_environment_id, policy_id, version, hash)
    join agents a on a.tenant_id = $1 and a.id = said.agent_id
      and coalesce(a.id = said.reach_agent_id or a.environment_id = said.reach_environment_id, false)
    left join policy_versions v on v.tenant_id = $1 and v.policy_id = said.policy_id and v.version = said.version
  ), heartbeat as (
    insert into edge_instances as i (tenant_id, credential_id, instance_id, seq, edge_version, seen_at, agents, agent_ids, closes_at,
      started_at, environment_id, features)
    select $1, credential_id, instance_id, seq, edge_version, seen_at, coalesce(agents, 0), agent_ids, closes_at, seen_at,
      coalesce(reach_environment_id, (select o.environment_id from agents o where o.tenant_id = $1 and o.id = b.reach_agent_id)),
      string_to_array(features, ',')
    from beats b full join (
      select beat, count(*) as agents, array_agg(id order by id) as agent_ids from served group by beat) c on c.beat = b.beat
    order by credential_id, instance_id
    on conflict (tenant_id, credential_id, instance_id) do update
      set seq = excluded.seq, edge_version = excluded.edge_version, seen_at = excluded.seen_at, agents = excluded.agents,
        agent_ids = case when i.agent_ids = excluded.agent_ids then i.agent_ids else excluded.agent_ids end,
        closes_at = excluded.closes_at, environment_id = excluded.environment_id, features = excluded.features
      where i.seq <= excluded.seq
    returning credential_id, instance_id
  ), accepted as materialized (
    select b.*, h.credential_id is not null as is_accepted
    from beats b full join heartbeat h on h.credential_id = b.credential_id and h.instance_id = b.instance_id
  ), written as materialized (
    select s.id, s.said_policy_id, s.said_version, s.said_hash, x.seen_at, x.edge_id, x.edge_name, x.edge_version, x.is_accepted
    from served s full join accepted x on x.beat = s.beat
  ), seen as (
    insert into agent_runtime as r (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version,
      running_hash, reported_at, running_since, running_edge_id, running_edge_name, running_edge_version,
      heartbeat_slot)
    select $1, w.id, w.seen_at, w.said_policy_id, w.said_version, w.said_hash,
      case when w.said_policy_id is not null then w.seen_at end,
      case when w.said_policy_id is not null then w.seen_at end,
      w.edge_id, w.edge_name, w.edge_version, ${slotOf('w.seen_at')}
    from written w where w.id is not null and w.is_accepted
    order by w.id
    on conflict (tenant_id, agent_id) do update set last_heartbeat_at = excluded.last_heartbeat_at,
      heartbeat_slot = excluded.heartbeat_slot,
      running_policy_id = coalesce(excluded.running_policy_id, r.running_policy_id),
      running_version = case when excluded.reported_at is null then r.running_version else excluded.running_version end,
      running_hash = case when excluded.reported_at is null then r.running_hash else excluded.running_hash end,
      running_since = case when excluded.reported_at is null or (r.running_policy_id, r.running_version, r.running_hash)
          is not distinct from (excluded.running_policy_id, excluded.running_version, excluded.running_hash)
        then r.running_since else excluded.reported_at end,
      running_edge_id = case when excluded.reported_at is null then r.running_edge_id else excluded.running_edge_id end,
      running_edge_name = case when excluded.reported_at is null then r.running_edge_name
        else excluded.running_edge_name end,
      running_edge_version = case when excluded.reported_at is null then r.running_edge_version
        else excluded.running_edge_version end,
      reported_at = coalesce(excluded.reported_at, r.reported_at)
    returning agent_id, running_policy_id as policy_id, running_hash as hash, ${isReportedSql('r')} as is_reported
  ), heard as (
    update edges e set last_heartbeat_at = x.seen_at
    from (select q.id, y.seen_at
      from (select edge_id, max(seen_at) as seen_at from accepted where is_accepted and edge_id is not null group by edge_id) y
      join edges q on q.tenant_id = $1 and q.id = y.edge_id
      where q.last_heartbeat_at is null or q.last_heartbeat_at < y.seen_at - interval '1 second'
      order by q.id for no key update of q) x
    where e.tenant_id = $1 and e.id = x.id
      and (e.last_heartbeat_at is null or e.last_heartbeat_at < x.seen_at - interval '1 second')
  ), found as (
    select f.id, f.agent_id, f.evidence from findings f
    where f.tenant_id = $1 and f.agent_id = any($11::uuid[]) and ${isOpenDriftFinding('f')}
  ), known as materialized (
    select a.*, n.agent_id as seen_agent_id, n.policy_id as running_policy_id, n.hash as running_hash, n.is_reported, f.id as finding_id,
      f.evidence as finding_evidence
    from served a full join seen n on n.agent_id = a.id full join found f on f.agent_id = a.id
  )
  select a.beat, case when a.status = 'registered' and n.agent_id is not null then 'active' else a.status end as status,
    ${stateColumns}, ${givenColumns}, ${hasOpenFreeze} as has_open_freeze, ${hasCredentials} as has_credentials,
    (select l.version from delegation_lists l where l.tenant_id = $1 and l.environment_id = e.id) as delegations_version,
    coalesce(d.unsettled, false) as unsettled
  from known a ${stateJoins}
  left join agent_profiles f on f.tenant_id = $1 and f.agent_id = a.id
  cross join lateral (select a.seen_agent_id as agent_id, a.running_policy_id as policy_id, a.running_hash as hash, a.is_reported) n
  cross join lateral (select a.finding_id as id, a.finding_evidence as evidence) o
  left join lateral (select ${driftUnsettledSql({ finding: 'o', drift: driftSql({ agent: 'a', ...reported }), ...reported })}
      or ${unapprovedUnsettledSql({ agent: 'a', isReported: 'n.is_reported', tenantId: '$1' })}
      or a.status = 'registered' or not a.heard or a.drift_state <> ${driftStateSql({ agent: 'a', ...reported })} as unsettled
    where n.agent_id is not null) d on true
  where a.id is not null`

/**
 * `has_open_freeze` is true if the tenant has a freeze or drill that edges may confirm, `has_credentials` if it has or had credentials of tools. `unsettled` is true if the stored findings, `status`, `drift_state` or `heard` do not match what the agent runs. A drift finding or an
 * `unapproved_running` finding must then be opened, renewed or closed, or the agent's row must be corrected.
 */
export type ReportedState = ProfileState &
  GivenProfile & {
    unsettled: boolean
    has_open_freeze: boolean
    has_credentials: boolean
    /** Version of the environment's list of ended delegations. Null if it never had a delegation. */
    delegations_version: number | null
  }

export interface NewHeartbeat {
  credentialId: string
  /** Name of the edge or of the agent that sends the heartbeat. */
  credentialName: string
  /** The agents for which the credential is valid. */
  reach: Reach
  instanceId: string
  seq: number
  edgeVersion: string
  now: string
  /** When the instance denies every call if it gets no answer to a further heartbeat. Null if it never does, or if it did not say. */
  closesAt: string | null
  /** What the instance says that it knows. Words without a comma. */
  features: readonly EdgeFeature[]
  /** The reported agents. The list must not contain an agent twice. */
  agents: { id: string; policyId: string | null; version: number | null; hash: string | null }[]
}

/**
 * Stores heartbeats of one tenant. Two of them must not be of the same edge instance, or name the same agent. Returns for each heartbeat the
 * data of the current profile of each reported agent that its credential serves.
 */
export async function storeHeartbeats(tx: Tx, heartbeats: readonly NewHeartbeat[]): Promise<ReportedState[][]> {
  const column = (of: (heartbeat: NewHeartbeat) => unknown) => heartbeats.map(of)
  const reports = heartbeats.flatMap((heartbeat, index) =>
    heartbeat.agents.map((agent) => ({ ...agent, beat: index + 1, reach: heartbeat.reach })),
  )
  const statement = raw<ReportedState & { beat: number }>(heartbeatsText, [
    tx.tenantId,
    column(({ credentialId }) => credentialId),
    column(({ instanceId }) => instanceId),
    column(({ seq }) => seq),
    column(({ edgeVersion }) => edgeVersion),
    column(({ now }) => now),
    column(({ closesAt }) => closesAt),
    column((heartbeat) => (isOfEdge(heartbeat) ? heartbeat.credentialId : null)),
    column((heartbeat) => (isOfEdge(heartbeat) ? heartbeat.credentialName : null)),
    reports.map(({ beat }) => beat),
    reports.map(({ id }) => id),
    reports.map(({ reach }) => reach.agentId),
    reports.map(({ reach }) => reach.environmentId),
    reports.map(({ policyId }) => policyId),
    reports.map(({ version }) => version),
    reports.map(({ hash }) => hash),
    column(({ reach }) => reach.agentId),
    column(({ reach }) => reach.environmentId),
    column(({ features }) => features.join(',')),
  ])
  // A generic plan fits all values. PostgreSQL estimates that a custom plan is cheaper, so it would otherwise plan the statement again for
  // every heartbeat.
  const [, rows] = await Promise.all([planGroupOnce(tx, heartbeats.length), tx.all(statement)])
  const states: ReportedState[][] = heartbeats.map(() => [])
  for (const { beat, ...state } of rows) states[beat - 1]?.push(state)
  return states
}

/** True if the heartbeat was sent with the key of an edge. False for the key of an agent. */
const isOfEdge = ({ reach }: NewHeartbeat) => reach.environmentId !== null

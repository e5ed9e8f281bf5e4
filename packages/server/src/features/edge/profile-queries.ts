import { driftSql, driftStateSql, driftUnsettledSql, isOpenDriftFinding } from '../../agent-state/drift.ts'
import { governanceModeSql } from '../../agent-state/governance-mode.ts'
import { slotOf } from '../../agent-state/heartbeat-slot.ts'
import { isReportedSql, unapprovedUnsettledSql } from '../../agent-state/unapproved.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { planOnce } from '../../db/plan-once.ts'
import { raw } from '../../db/statement.ts'
import type { ProfileState } from './profile.ts'
import type { Reach } from './reach.ts'

/** Select list that reads the columns of `ProfileState` for a row `a` of agents, except `status`. */
const stateColumns = `a.id as agent_id, a.name as agent_name, a.lifecycle_status, g.governance_gate as gate,
  e.id as environment_id, e.name as environment_name, e.slug as environment_slug,
  coalesce(e.is_production, false) as is_production, ${governanceModeSql({ policy: 'p', environment: 'e' })} as governance_mode,
  v.policy_id, v.version as policy_version, v.content_hash as policy_hash`

/** Joins the policy's current version. The content of a version never changes. */
const stateJoins = `
  join tenants g on g.id = $1
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join policies p on p.tenant_id = $1 and p.id = a.policy_id
  left join policy_versions v on v.tenant_id = $1 and v.policy_id = p.id and v.version = p.version`

/**
 * The data of an agent's current profile. `given_hash` and `given_seq` are the hash and the sequence number of the profile that
 * the last request got. They are null before the first request.
 */
export interface ProfileRow extends ProfileState {
  snapshot: Record<string, unknown> | null
  given_hash: string | null
  given_seq: number | null
}

const profileState = `
  select a.status, ${stateColumns}, v.snapshot, f.profile_hash as given_hash, f.profile_seq as given_seq
  from agents a ${stateJoins}
  left join agent_profiles f on f.tenant_id = $1 and f.agent_id = a.id
  where a.tenant_id = $1 and a.id = $2 and (a.id = $3::uuid or a.environment_id = $4::uuid)`

/**
 * Returns the data of an agent's profile; undefined if the credential is not valid for the agent. One statement reads all
 * columns, so they come from one database snapshot.
 */
export function findProfileState(db: Sql, { agentId, environmentId }: Reach, id: string) {
  return db.maybe(raw<ProfileRow>(profileState, [db.tenantId, id, agentId, environmentId]))
}

/**
 * Locks the row that stores the hash and the sequence number of the agent's last profile. So requests for the agent's profile
 * run one at a time. The caller reads the profile's data after the lock, so the data is not older than the data of the previous
 * request.
 */
export async function lockGivenProfile(tx: Tx, agentId: string): Promise<void> {
  const first = `insert into agent_profiles (tenant_id, agent_id, profile_hash, profile_seq) values ($1, $2, '', 0)
    on conflict (tenant_id, agent_id) do nothing`
  const lock = 'select profile_seq from agent_profiles where tenant_id = $1 and agent_id = $2 for update'
  await Promise.all([tx.all(raw(first, [tx.tenantId, agentId])), tx.all(raw(lock, [tx.tenantId, agentId]))])
}

/** Stores the hash of the agent's current profile. Returns the new sequence number of the profile. */
export async function storeGivenProfile(tx: Tx, agentId: string, hash: string): Promise<number> {
  const text = `update agent_profiles set profile_hash = $3, profile_seq = profile_seq + 1
    where tenant_id = $1 and agent_id = $2 returning profile_seq as seq`
  return (await tx.one(raw<{ seq: number }>(text, [tx.tenantId, agentId, hash]))).seq
}

const reported = { policyId: 'n.policy_id', hash: 'n.hash' }

// One statement for all agents of a heartbeat. Rows are locked in one order, so that heartbeats about the same agents cannot
// deadlock. `heard` skips an edge that was heard in this second, so that the instances of one edge do not wait for one row. A heartbeat
// that is older than the last one of its edge instance changes nothing. The statement does not write to the table of agents, because
// PostgreSQL would open all its indexes for each heartbeat: `settleHeartbeat` writes what changes in the rows of agents.
const heartbeatText = `
  with served as (
    select a.id, a.name, a.status, a.lifecycle_status, a.governance_state, a.environment_id, a.policy_id, a.approved_policy_id, a.approved_hash,
      a.drift_state, a.heard, said.policy_id as said_policy_id, said.version as said_version, coalesce(said.hash, v.content_hash) as said_hash
    from unnest($7::uuid[], $8::uuid[], $9::int[], $10::text[]) as said (agent_id, policy_id, version, hash)
    join agents a on a.tenant_id = $1 and a.id = said.agent_id and (a.id = $11::uuid or a.environment_id = $12::uuid)
    left join policy_versions v on v.tenant_id = $1 and v.policy_id = said.policy_id and v.version = said.version
  ), heartbeat as (
    insert into edge_instances as i (tenant_id, credential_id, instance_id, seq, edge_version, seen_at, agents, closes_at)
    values ($1, $2, $3, $4, $5, $6::timestamptz, (select count(*) from served), $13)
    on conflict (tenant_id, credential_id, instance_id) do update
      set seq = excluded.seq, edge_version = excluded.edge_version, seen_at = excluded.seen_at, agents = excluded.agents,
        closes_at = excluded.closes_at
      where i.seq <= excluded.seq
    returning 1
  ), heard as (
    update edges e set last_heartbeat_at = $6::timestamptz
    where $12::uuid is not null and e.tenant_id = $1 and e.id = $2
      and (e.last_heartbeat_at is null or e.last_heartbeat_at < $6::timestamptz - interval '1 second') and exists (select from heartbeat)
  ), seen as (
    insert into agent_runtime as r (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version,
      running_hash, reported_at, running_since, running_edge_id, running_edge_name, running_edge_version,
      heartbeat_slot)
    select $1, s.id, $6::timestamptz, s.said_policy_id, s.said_version, s.said_hash,
      case when s.said_policy_id is not null then $6::timestamptz end,
      case when s.said_policy_id is not null then $6::timestamptz end,
      case when $12::uuid is not null then $2::uuid end, case when $12::uuid is not null then $14::text end, $5,
      ${slotOf('$6::timestamptz')}
    from served s
    where exists (select from heartbeat)
    order by s.id
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
  ), found as (
    select f.id, f.agent_id, f.evidence from findings f
    where f.tenant_id = $1 and f.agent_id = any($7::uuid[]) and ${isOpenDriftFinding('f')}
  )
  select case when a.status = 'registered' and exists (select from heartbeat) then 'active' else a.status end as status,
    ${stateColumns}, coalesce(d.unsettled, false) as unsettled
  from served a ${stateJoins}
  left join seen n on n.agent_id = a.id
  left join found f on f.agent_id = a.id
  left join lateral (select ${driftUnsettledSql({ finding: 'f', drift: driftSql({ agent: 'a', ...reported }), ...reported })}
      or ${unapprovedUnsettledSql({ agent: 'a', isReported: 'n.is_reported', tenantId: '$1' })}
      or a.status = 'registered' or not a.heard or a.drift_state <> ${driftStateSql({ agent: 'a', ...reported })} as unsettled
    where n.agent_id is not null) d on true`

/**
 * `unsettled` is true if the stored findings, `status`, `drift_state` or `heard` do not match what the agent runs. A drift finding or an
 * `unapproved_running` finding must then be opened, renewed or closed, or the agent's row must be corrected.
 */
export type ReportedState = ProfileState & { unsettled: boolean }

export interface NewHeartbeat {
  credentialId: string
  /** Name of the edge or of the agent that sends the heartbeat. */
  credentialName: string
  instanceId: string
  seq: number
  edgeVersion: string
  now: string
  /** When the instance denies every call if it gets no answer to a further heartbeat. Null if it never does, or if it did not say. */
  closesAt: string | null
  /** The reported agents. The list must not contain an agent twice. */
  agents: { id: string; policyId: string | null; version: number | null; hash: string | null }[]
}

/** Stores a heartbeat. Returns the data of the current profile for each reported agent that the credential serves. */
export async function storeHeartbeat(
  tx: Tx,
  { agentId, environmentId }: Reach,
  heartbeat: NewHeartbeat,
): Promise<ReportedState[]> {
  const statement = raw<ReportedState>(heartbeatText, [
    tx.tenantId,
    heartbeat.credentialId,
    heartbeat.instanceId,
    heartbeat.seq,
    heartbeat.edgeVersion,
    heartbeat.now,
    heartbeat.agents.map(({ id }) => id),
    heartbeat.agents.map(({ policyId }) => policyId),
    heartbeat.agents.map(({ version }) => version),
    heartbeat.agents.map(({ hash }) => hash),
    agentId,
    environmentId,
    heartbeat.closesAt,
    heartbeat.credentialName,
  ])
  // Forces the generic plan. PostgreSQL estimates that a custom plan is cheaper, so it would otherwise plan the statement again
  // for every heartbeat.
  const [, states] = await Promise.all([planOnce(tx), tx.all(statement)])
  return states
}

import { driftSql, driftUnsettledSql, isOpenDriftFinding } from '../../agent-state/drift.ts'
import { governanceModeSql } from '../../agent-state/governance-mode.ts'
import { isReportedSql, unapprovedUnsettledSql } from '../../agent-state/unapproved.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { planOnce } from '../../db/plan-once.ts'
import { raw } from '../../db/statement.ts'
import type { Reach } from './evidence-queries.ts'
import type { ProfileState } from './profile.ts'

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
// deadlock. A heartbeat that is older than the last one of its edge instance changes nothing.
const heartbeatText = `
  with heartbeat as (
    insert into edge_instances as i (tenant_id, credential_id, instance_id, seq, edge_version, seen_at)
    values ($1, $2, $3, $4, $5, $6::timestamptz)
    on conflict (tenant_id, credential_id, instance_id) do update
      set seq = excluded.seq, edge_version = excluded.edge_version, seen_at = excluded.seen_at
      where i.seq <= excluded.seq
    returning 1
  ), served as (
    select a.id, a.name, a.status, a.lifecycle_status, a.governance_state, a.environment_id, a.policy_id, a.approved_policy_id, a.approved_hash,
      said.policy_id as said_policy_id, said.version as said_version, coalesce(said.hash, v.content_hash) as said_hash
    from unnest($7::uuid[], $8::uuid[], $9::int[], $10::text[]) as said (agent_id, policy_id, version, hash)
    join agents a on a.tenant_id = $1 and a.id = said.agent_id and (a.id = $11::uuid or a.environment_id = $12::uuid)
    left join policy_versions v on v.tenant_id = $1 and v.policy_id = said.policy_id and v.version = said.version
  ), seen as (
    insert into agent_runtime as r (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version,
      running_hash, reported_at)
    select $1, s.id, $6::timestamptz, s.said_policy_id, s.said_version, s.said_hash,
      case when s.said_policy_id is not null then $6::timestamptz end
    from served s
    where exists (select from heartbeat)
    order by s.id
    on conflict (tenant_id, agent_id) do update set last_heartbeat_at = excluded.last_heartbeat_at,
      running_policy_id = coalesce(excluded.running_policy_id, r.running_policy_id),
      running_version = case when excluded.reported_at is null then r.running_version else excluded.running_version end,
      running_hash = case when excluded.reported_at is null then r.running_hash else excluded.running_hash end,
      reported_at = coalesce(excluded.reported_at, r.reported_at)
    returning agent_id, running_policy_id as policy_id, running_hash as hash, ${isReportedSql('r')} as is_reported
  ), found as (
    select f.id, f.agent_id, f.evidence from findings f
    where f.tenant_id = $1 and f.agent_id = any($7::uuid[]) and ${isOpenDriftFinding('f')}
  ), started as (
    update agents a set status = 'active', updated_at = $6::timestamptz
    from (select x.id from agents x join served s on s.id = x.id
      where x.tenant_id = $1 and x.status = 'registered' and s.status = 'registered' and exists (select from heartbeat)
      order by x.id for no key update of x) first
    where a.tenant_id = $1 and a.id = first.id
  )
  select case when a.status = 'registered' and exists (select from heartbeat) then 'active' else a.status end as status,
    ${stateColumns}, coalesce(d.unsettled, false) as unsettled
  from served a ${stateJoins}
  left join seen n on n.agent_id = a.id
  left join found f on f.agent_id = a.id
  left join lateral (select ${driftUnsettledSql({ finding: 'f', drift: driftSql({ agent: 'a', ...reported }), ...reported })}
      or ${unapprovedUnsettledSql({ agent: 'a', isReported: 'n.is_reported', tenantId: '$1' })} as unsettled
    where n.agent_id is not null) d on true`

/**
 * `unsettled` is true if the stored findings do not match the policy version that the agent runs. A drift finding or an
 * `unapproved_running` finding must then be opened, renewed or closed.
 */
export type ReportedState = ProfileState & { unsettled: boolean }

export interface NewHeartbeat {
  credentialId: string
  instanceId: string
  seq: number
  edgeVersion: string
  now: string
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
  ])
  // Forces the generic plan. PostgreSQL estimates that a custom plan is cheaper, so it would otherwise plan the statement again
  // for every heartbeat.
  const [, states] = await Promise.all([planOnce(tx), tx.all(statement)])
  return states
}

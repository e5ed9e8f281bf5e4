import { frozenOfTenantSql, newestDrillOfTenantSql } from '../../agent-state/frozen.ts'
import { governanceModeSql } from '../../agent-state/governance-mode.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'
import type { ProfileState } from './profile.ts'
import type { Reach } from './reach.ts'

/** Select list that reads the columns of `ProfileState` for a row `a` of agents, except `status`. */
export const stateColumns = `a.id as agent_id, a.name as agent_name, a.lifecycle_status, g.governance_gate as gate,
  e.id as environment_id, e.name as environment_name, e.slug as environment_slug,
  coalesce(e.is_production, false) as is_production, ${governanceModeSql({ policy: 'p', environment: 'e' })} as governance_mode,
  v.policy_id, v.version as policy_version, v.content_hash as policy_hash, ${frozenOfTenantSql({ agent: 'a', tenantId: '$1' })} as frozen`

const agent = { agent: 'a', tenantId: '$1' }

/** Select list that reads the columns of `GivenProfile` for a row `a` of agents and a row `f` of agent_profiles. */
export const givenColumns = `f.profile_hash as given_hash, f.profile_seq as given_seq, f.drill_id as given_drill,
  ${newestDrillOfTenantSql(agent)} as newest_drill`

/** Joins the policy's current version. The content of a version never changes. */
export const stateJoins = `
  join tenants g on g.id = $1
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join policies p on p.tenant_id = $1 and p.id = a.policy_id
  left join policy_versions v on v.tenant_id = $1 and v.policy_id = p.id and v.version = p.version`

/**
 * The hash and the sequence number of the profile that the last request got, and the newest drill at that time. They are null
 * before the first request. `newest_drill` is the newest drill that covers the agent now.
 */
export interface GivenProfile {
  given_hash: string | null
  given_seq: number | null
  given_drill: string | null
  newest_drill: string | null
}

/** The data of an agent's current profile. */
export interface ProfileRow extends ProfileState, GivenProfile {
  snapshot: Record<string, unknown> | null
}

const profileState = `
  select a.status, ${stateColumns}, v.snapshot, ${givenColumns}
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

const givenProfiles = `
  select a.status, ${stateColumns}, ${givenColumns}
  from agents a ${stateJoins}
  left join agent_profiles f on f.tenant_id = $1 and f.agent_id = a.id
  where a.tenant_id = $1 and a.id = any($2::uuid[]) and (a.id = $3::uuid or a.environment_id = $4::uuid)`

/** Like `findProfileState` for several agents, without the policies. Leaves out agents for which the credential is not valid. */
export function findGivenProfiles(db: Sql, { agentId, environmentId }: Reach, ids: readonly string[]) {
  return db.all(raw<ProfileState & GivenProfile>(givenProfiles, [db.tenantId, ids, agentId, environmentId]))
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

/** Stores the hash of the agent's current profile and the newest drill. Returns the new sequence number of the profile. */
export async function storeGivenProfile(
  tx: Tx,
  agentId: string,
  hash: string,
  drillId: string | null,
): Promise<number> {
  const text = `update agent_profiles set profile_hash = $3, profile_seq = profile_seq + 1, drill_id = $4
    where tenant_id = $1 and agent_id = $2 returning profile_seq as seq`
  return (await tx.one(raw<{ seq: number }>(text, [tx.tenantId, agentId, hash, drillId]))).seq
}

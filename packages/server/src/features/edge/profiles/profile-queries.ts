import type { ContentBinding, HeldPattern } from '@mandate/contract/content'
import { frozenOfTenantSql, newestDrillOfTenantSql } from '../../../agent-state/frozen.ts'
import { governanceModeSql } from '../../../agent-state/governance-mode.ts'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { patternsOfSetSql } from '../../content/patterns-of-set.ts'
import type { Reach } from '../reach/reach.ts'
import type { ProfileState } from './profile.ts'

/** Select list that reads the columns of `ProfileState` for a row `a` of agents, except `status`. */
export const stateColumns = `a.id as agent_id, a.name as agent_name, a.lifecycle_status, g.governance_gate as gate,
  e.id as environment_id, e.name as environment_name, e.slug as environment_slug,
  coalesce(e.is_production, false) as is_production, coalesce(e.keep_arguments_for_replay, false) as keep_arguments, ${governanceModeSql({ policy: 'p', environment: 'e' })} as governance_mode,
  v.policy_id, v.version as policy_version, v.content_hash as policy_hash,
  case when p.dlp_enabled and p.bindings_version > 0 then p.bindings_version end as bindings_version,
  case when p.dlp_enabled and p.bindings_version > 0 then p.bindings_hash end as bindings_hash, ${frozenOfTenantSql({ agent: 'a', tenantId: '$1' })} as frozen,
  (select i.version from tool_inventories i where i.tenant_id = $1 and i.environment_id = e.id) as pins_version`

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
  /** The content bindings; null if none apply. */
  bindings: ContentBinding[] | null
  /** The tenant's patterns that the bindings hold. */
  patterns: HeldPattern[]
}

const profileState = `
  select a.status, ${stateColumns}, v.snapshot, b.bindings, ${patternsOfSetSql('b')} as patterns, ${givenColumns}
  from agents a ${stateJoins}
  left join content_bindings_versions b
    on b.tenant_id = $1 and b.policy_id = p.id and b.version = p.bindings_version and p.dlp_enabled
  left join agent_profiles f on f.tenant_id = $1 and f.agent_id = a.id
  where a.tenant_id = $1 and a.id = $2 and (a.id = $3::uuid or a.environment_id = $4::uuid)`

/**
 * Returns the data of an agent's profile; undefined if the credential is not valid for the agent. One statement reads all
 * columns, so they come from one database snapshot.
 */
export function findProfileState(db: Sql, { agentId, environmentId }: Reach, id: string) {
  return db.maybe(raw<ProfileRow>(profileState, [db.tenantId, id, agentId, environmentId]))
}

const givenProfiles = (inReach: string) => `
  select a.status, ${stateColumns}, ${givenColumns}
  from agents a ${stateJoins}
  left join agent_profiles f on f.tenant_id = $1 and f.agent_id = a.id
  where a.tenant_id = $1 and a.id = any($2::uuid[]) and ${inReach}`
const profilesInReach = givenProfiles('(a.id = $3::uuid or a.environment_id = $4::uuid)')
const profilesOfAny = givenProfiles('true')

/** Like `findProfileState` for several agents, without the policies. Leaves out agents that are not in reach. */
export function findGivenProfiles(db: Sql, reach: Reach | 'any', ids: readonly string[]) {
  const statement =
    reach === 'any'
      ? raw<ProfileState & GivenProfile>(profilesOfAny, [db.tenantId, ids])
      : raw<ProfileState & GivenProfile>(profilesInReach, [db.tenantId, ids, reach.agentId, reach.environmentId])
  return db.all(statement)
}

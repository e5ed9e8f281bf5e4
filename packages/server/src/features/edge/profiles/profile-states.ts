import type { Snapshot } from '@mandate/policy/types'
import type { Sql } from '../../../db/database.ts'
import { findSnapshots } from './current-profile-queries.ts'
import { deniesAll, type ProfileState } from './profile.ts'
import { findGivenProfiles } from './profile-queries.ts'

/** What decides the calls of an agent now. `policy` is null if its profile denies every call. */
export interface InForce {
  state: ProfileState
  policy: Snapshot | null
}

/**
 * Returns what decides the calls of agents, in the order of the ids, until the policies have `mostBytes` bytes together. The last policy may
 * exceed this. `isWhole` is false if agents are left out for this reason. Agents that do not exist are left out.
 */
export async function policiesInForce(
  db: Sql,
  agentIds: readonly string[],
  mostBytes: number,
): Promise<{ agents: InForce[]; isWhole: boolean }> {
  const found = new Map((await findGivenProfiles(db, 'any', agentIds)).map((state) => [state.agent_id, state]))
  const states = agentIds.flatMap((id) => found.get(id) ?? [])
  const versions = new Map(
    states.flatMap((state) => (deniesAll(state) ? [] : [[keyOf(state), versionOf(state)] as const])),
  )
  const rows = versions.size === 0 ? [] : await findSnapshots(db, [...versions.values()], mostBytes)
  const policies = new Map(
    rows.map(({ policyId, version, snapshot }) => [`${policyId} ${version}`, snapshot as unknown as Snapshot]),
  )
  const agents: InForce[] = []
  for (const state of states) {
    const policy = deniesAll(state) ? null : policies.get(keyOf(state))
    if (policy === undefined) return { agents, isWhole: false }
    agents.push({ state, policy })
  }
  return { agents, isWhole: true }
}

const keyOf = ({ policy_id, policy_version }: ProfileState) => `${policy_id} ${policy_version}`
const versionOf = ({ policy_id, policy_version }: ProfileState) => ({
  policyId: policy_id as string,
  version: policy_version as number,
})

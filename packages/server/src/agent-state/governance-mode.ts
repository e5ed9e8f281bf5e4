import type { GovernanceMode, OverrideMode } from '@mandate/policy/types'

/** Aliases of the agent's policy and environment in the statement. Both are left-joined. */
interface Governing {
  policy: string
  environment: string
}

/**
 * SQL for an agent's computed `governance_mode`: the policy's `override_mode`, or the environment's mode if the policy inherits. Null if
 * the agent has no policy, or if the policy inherits and the agent has no environment.
 */
export const governanceModeSql = ({ policy, environment }: Governing) =>
  `case ${policy}.override_mode when 'inherit' then ${environment}.governance_mode else ${policy}.override_mode end`

/** The same computation as `governanceModeSql`, for a policy and an environment that the process has loaded. */
export const governanceModeOf = (
  policy: { override_mode: OverrideMode },
  environment: { governance_mode: GovernanceMode },
): GovernanceMode => (policy.override_mode === 'inherit' ? environment.governance_mode : policy.override_mode)

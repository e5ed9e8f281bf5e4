import type { GovernanceMode, OverrideMode } from '@mandate/policy/types'

/** Aliases of the agent's policy and of its environment in the statement. Both tables are left-joined. */
interface Governing {
  policy: string
  environment: string
}

/**
 * SQL for an agent's `governance_mode`. This is the policy's `override_mode`. If the policy inherits, it is the mode of the
 * environment. The result is null if the agent has no policy, or if the policy inherits and the agent has no environment.
 */
export const governanceModeSql = ({ policy, environment }: Governing) =>
  `case ${policy}.override_mode when 'inherit' then ${environment}.governance_mode else ${policy}.override_mode end`

/** Computes the same as `governanceModeSql`, from a policy and an environment that are already loaded. */
export const governanceModeOf = (
  policy: { override_mode: OverrideMode },
  environment: { governance_mode: GovernanceMode },
): GovernanceMode => (policy.override_mode === 'inherit' ? environment.governance_mode : policy.override_mode)

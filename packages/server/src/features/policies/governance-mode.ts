/**
 * An agent's computed `governance_mode`: its policy's `override_mode`, or its environment's mode where that inherits;
 * null without a policy, and without an environment to inherit from. The statement left-joins policies as `p` and
 * environments as `e`.
 */
export const governanceModeSql = `case p.override_mode when 'inherit' then e.governance_mode else p.override_mode end`

export type GovernanceMode = 'enforce' | 'monitor'

/** As `governanceModeSql`, of a policy and the environment of an agent that it governs. */
export const governanceModeOf = (
  policy: { override_mode: GovernanceMode | 'inherit' },
  environment: { governance_mode: GovernanceMode },
): GovernanceMode => (policy.override_mode === 'inherit' ? environment.governance_mode : policy.override_mode)

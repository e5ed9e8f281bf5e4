import type { Effect, GovernanceMode, OverrideMode } from './types.ts'

/** The effective governance mode: the policy's own mode, or the environment's mode if the policy inherits it. */
export function resolveMode(overrideMode: OverrideMode, environmentMode: GovernanceMode): GovernanceMode {
  return overrideMode === 'inherit' ? environmentMode : overrideMode
}

/** Whether the call must wait or be refused. In `monitor` mode the verdict is only recorded. */
export function stopsCall(effect: Effect, mode: GovernanceMode): boolean {
  return mode === 'enforce' && effect !== 'allow'
}

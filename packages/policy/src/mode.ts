import type { Effect, GovernanceMode, OverrideMode } from './types.ts'

/** The mode in force: the policy's own, or the environment's where the policy inherits. */
export function resolveMode(overrideMode: OverrideMode, environmentMode: GovernanceMode): GovernanceMode {
  return overrideMode === 'inherit' ? environmentMode : overrideMode
}

/** Whether the call must wait or be refused. In `monitor` the verdict is recorded and nothing is stopped. */
export function stopsCall(effect: Effect, mode: GovernanceMode): boolean {
  return mode === 'enforce' && effect !== 'allow'
}

import type { Schema } from '@mandate/sdk'
import type { Decision } from './story.ts'

type Freeze = Pick<
  Schema<'Freeze'>,
  'id' | 'scope' | 'agent_id' | 'environment_id' | 'drill' | 'created_at' | 'lifted_at'
>

/** The freeze that stopped the agent when a call was decided. Undefined if it is not among these freezes. */
export function freezeOf(
  { agent, environment_id: environment, at }: Pick<Decision, 'agent' | 'environment_id' | 'at'>,
  freezes: readonly Freeze[],
): Freeze | undefined {
  const covers = ({ scope, agent_id: agentId, environment_id: environmentId }: Freeze) =>
    scope === 'organization' || agentId === agent.id || (environmentId !== null && environmentId === environment)
  return freezes.find(
    (freeze) =>
      !freeze.drill &&
      covers(freeze) &&
      Date.parse(freeze.created_at) <= Date.parse(at) &&
      (freeze.lifted_at === null || Date.parse(at) <= Date.parse(freeze.lifted_at)),
  )
}

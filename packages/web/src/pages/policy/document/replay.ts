import type { Schema } from '@mandate/sdk'
import type { Filters } from '../../decisions/filters.ts'

export type Replay = NonNullable<Schema<'SimulationResult'>['replay']>

export const shortReplay = '7'
/** How many days of recorded decisions a reader can choose. The server keeps the counts of 30 days. */
export const replays = [
  { value: shortReplay, text: '7 days' },
  { value: '30', text: '30 days' },
] as const
export type ReplayDays = (typeof replays)[number]['value']

const dayMs = 24 * 60 * 60_000

/** The replayed time in words. It starts with a whole hour, so it is up to an hour longer. */
export const lastDays = ({ from, to }: Pick<Replay, 'from' | 'to'>) =>
  `the last ${Math.floor((Date.parse(to) - Date.parse(from)) / dayMs)} days`

/** The filters of the list of decisions for the recorded calls of an example. */
export function callsOf(
  {
    tool,
    was,
    mode,
    policy_version,
    agent,
  }: Pick<Replay['examples'][number], 'tool' | 'was' | 'mode' | 'policy_version' | 'agent'>,
  { from, to }: Pick<Replay, 'from' | 'to'>,
  policyId: string,
): Filters {
  return {
    tool,
    mode,
    from,
    to,
    // A call that passed after a person approved it has the effect `allow` in its record.
    ...(was !== 'require_approval' && { effect: was }),
    // Records of edges that name no policy belong to the policy of their agent.
    ...(policy_version === null ? { agent_id: agent?.id } : { policy_id: policyId }),
  }
}

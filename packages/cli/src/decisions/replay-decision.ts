import type { Answer } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { showOne } from '../output/show.ts'

/** Shows what the recorded policy version decides about a recorded call. */
export async function replayDecision(decision_id: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  showOne(await client.call('replayDecision', { path: { decision_id } }), options, [
    { title: 'Result', value: ({ result }) => result },
    { title: 'Recorded', value: ({ recorded }) => outcomeText(recorded) },
    { title: 'Replayed', value: ({ replayed }) => replayed && outcomeText(replayed) },
    { title: 'Reason', value: ({ reason }) => reason },
  ])
}

function outcomeText({ effect, rule }: Answer<'replayDecision'>['recorded']): string {
  return rule ? `${effect}, by the rule ${rule.name ?? rule.id}` : effect
}

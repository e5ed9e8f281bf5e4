import type { StreamedEvent } from '@mandate/sdk/events'
import { connect } from '../connection/connect.ts'
import { tail, timeOf } from '../events/tail-events.ts'
import { counted } from '../output/counted.ts'
import type { OutputOptions } from '../output/format.ts'
import { styled } from '../output/note.ts'
import { printable } from '../output/printable.ts'
import { effectColor, whyText } from './list-decisions.ts'

export interface TailDecisionsOptions extends OutputOptions {
  agent?: string
  count?: string
}

/** Prints decisions as they arrive. */
export async function tailDecisions({ agent = 'all', count, ...output }: TailDecisionsOptions): Promise<void> {
  const { client } = await connect()
  await tail(client, { types: 'decision.recorded,decision.skipped', decisions: agent, count, output }, lineOf)
}

function lineOf({ decision, skipped }: StreamedEvent): string | undefined {
  if (!decision) return skipped === undefined ? undefined : `… ${counted(skipped, 'more decision')}`
  const { at, agent, tool, effect, mode, decision_id } = decision
  const color = effectColor(effect)
  const shown = color ? styled(color, effect) : effect
  const why = printable(whyText(decision))
  const only = mode === 'monitor' ? ', only monitored' : ''
  return `${timeOf(at)}  ${shown}${only}  ${printable(agent.name ?? agent.id)}  ${printable(tool)}  ${why}  ${decision_id}`
}

import type { Schema } from '@mandate/sdk'
import { counted } from '../../words/words.ts'

/** Explains to people how a suspension and a freeze differ, and what ends each of them. */
export const stopsDiffer =
  'A suspension stops one agent, and ends when a person resumes the agent. A freeze stops one agent or many, and ends when a person lifts the freeze.'

const most = 10_000

/** The most freezes of the overview: `maxFreezes` of the contract. */
const mostFreezes = 5

/** Says how many freezes are active besides the newest one. Empty if it is the only one. */
export const otherFreezes = (freezes: number) =>
  freezes > 1
    ? ` ${counted(freezes - 1, '# other freeze is active.', '# other freezes are active.', mostFreezes - 1)}`
    : ''

/** Says what a freeze would do, in numbers. */
export function freezeEffect(
  { agents, edges, silent, approvals }: Schema<'FreezePreview'>,
  { drill }: { drill: boolean },
): string {
  const reach =
    edges === 0 ? 'No edge has to confirm' : counted(edges, '# edge has to confirm', '# edges have to confirm', most)
  const quiet = silent > 0 ? ` ${counted(silent, '# of them is silent.', '# of them are silent.', most)}` : ''
  if (drill) return `${reach}.${quiet} No call is denied.`
  const stopped =
    agents === 0
      ? 'There is no agent to stop.'
      : counted(agents, '# agent is denied every call.', '# agents are denied every call.', most)
  const ended =
    approvals > 0 ? ` ${counted(approvals, '# waiting call expires.', '# waiting calls expire.', most)}` : ''
  return `${stopped}${ended} ${reach}.${quiet}`
}

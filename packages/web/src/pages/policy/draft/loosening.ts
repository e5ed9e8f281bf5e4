import { counted } from '../../../words/words.ts'
import { lastDays, type Replay } from '../document/replay.ts'

/**
 * What a save would allow more, in sentences: "12 recorded calls that were denied would be allowed." Undefined if the server proves that the save loosens
 * nothing, or proves nothing and no recorded call would be decided more freely.
 */
export function looseningOf(replay: Replay): string[] | undefined {
  const { change_class: changeClass, matrix, undecidable } = replay
  const freed = [
    counts(matrix.deny.allow, 'denied', 'be allowed'),
    counts(matrix.require_approval.allow, 'held for a person', 'be allowed'),
    counts(matrix.deny.require_approval, 'denied', 'wait for a person'),
  ].filter((sentence) => sentence !== undefined)
  const isLooser = changeClass === 'loosens' || (changeClass === 'mixed' && freed.length > 0)
  if (!isLooser) return undefined
  const unknown =
    undecidable > 0
      ? [`${counted(undecidable, '# recorded call depends', '# recorded calls depend')} on what is not recorded.`]
      : []
  if (freed.length === 0)
    return [`No recorded call of ${lastDays(replay)} would change, but other calls could.`, ...unknown]
  return [...freed, ...unknown]
}

function counts(calls: number, was: string, would: string): string | undefined {
  if (calls === 0) return undefined
  return `${counted(calls, `# recorded call that was ${was}`, `# recorded calls that were ${was}`)} would ${would}.`
}

import type { Schema } from '@mandate/sdk'
import { heartbeatsMs } from '../../live/heartbeats.ts'

/** An agent may repeat a held call many times. */
const mostShown = 3

/** The decisions of an approval that the page shows, and how many more there are. The first held call and the call that passed are always shown. */
export function shownRecords<R extends Pick<Schema<'Decision'>, 'effect'>>(
  records: readonly R[],
): { shown: R[]; more: number } {
  const held = records.findLast(({ effect }) => effect === 'require_approval')
  const passed = records.find(({ effect }) => effect === 'allow')
  const kept = [...new Set([held, passed, ...records])].filter((record) => record !== undefined).slice(0, mostShown)
  return { shown: records.filter((record) => kept.includes(record)), more: records.length - kept.length }
}

const soonMs = 2_000
/** An edge reports a call within this time, unless it is cut off. */
const reportedMs = 5 * 60_000

/** When the decisions are read again, because the stream has none: soon if the agent used the approval and its edge has not reported the call yet. */
export function recordsAgainMs(
  records: readonly Pick<Schema<'Decision'>, 'effect'>[],
  usedAt: string | null,
  now: number,
) {
  const isDue = usedAt !== null && now - Date.parse(usedAt) < reportedMs
  return isDue && records.every(({ effect }) => effect !== 'allow') ? soonMs : heartbeatsMs
}

import type { Schema } from '@mandate/sdk'

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

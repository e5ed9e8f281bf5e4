import type { Filter } from '../../ui/filters/filters.ts'
import { clockTime } from '../../words/times.ts'
import { capital } from '../../words/words.ts'
import { type Filters, timeText } from './filters.ts'
import { type Range, type SpanName, spanNames, spans } from './spans.ts'

/** The search parameter for a period that ends now. */
export const withinOf = (name: string | undefined): SpanName | undefined => spanNames.find((known) => known === name)

/** The choice of a period with two times. */
export const ownPeriod = 'own'

interface Period extends Pick<Filters, 'from' | 'to'> {
  within: SpanName | undefined
}

/** The filter by time: a period that ends now, or two times of the address. Of a period that ends now, `from` is the start of the list. */
export function periodFilter({ within, from, to }: Period): Filter {
  const hasTimes = from !== undefined || to !== undefined
  return {
    name: 'within',
    label: 'Period',
    value: within ?? (hasTimes ? ownPeriod : undefined),
    options: [
      ...spanNames.map((value) => ({
        value,
        text: value === within && from ? `${spans[value].last}, since ${clockTime(from)}` : spans[value].last,
      })),
      { value: ownPeriod, text: !within && hasTimes ? timesText(from, to) : 'from and to…' },
    ],
  }
}

const isoOf = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** The times that a range counts, for the address. */
export const timesOf = ({ from, to }: Range) => ({ from: isoOf(from), to: isoOf(to) })

/** What a range counts, at the start of a sentence. A long or early period is counted by whole hours or days, which may be more than the period. */
export function countedIn(range: Range): string {
  if (range.isExact) return 'In this period'
  const { from, to } = timesOf(range)
  const text = timesText(from, to)
  return `${to === undefined ? capital(text) : `From ${text}`}, counted by the ${range.bucket}`
}

/** "3 Nov, 09:00 to 4 Nov, 10:00", or one of the two times. */
export function timesText(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return to === undefined ? 'any time' : `before ${timeText(to)}`
  return to === undefined ? `since ${timeText(from)}` : `${timeText(from)} to ${timeText(to)}`
}

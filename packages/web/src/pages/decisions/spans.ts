import type { Input } from '@mandate/sdk'

type TimelineQuery = NonNullable<Input<'getDecisionTimeline'>['query']>

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const spanNames = ['hour', 'day', 'week'] as const
export type SpanName = (typeof spanNames)[number]

interface Span {
  /** Length of the span in ms. */
  length: number
  /** Length of a bar in ms. */
  every: number
  /** Length of a bucket that the server counts. */
  bucket: NonNullable<TimelineQuery['bucket']>
  text: string
  /** The span in a sentence. */
  last: string
}

export const spans: Record<SpanName, Span> = {
  hour: { length: hour, every: minute, bucket: 'minute', text: 'Hour', last: 'the last hour' },
  day: { length: day, every: hour, bucket: 'hour', text: 'Day', last: 'the last 24 hours' },
  week: { length: 7 * day, every: 6 * hour, bucket: 'hour', text: 'Week', last: 'the last 7 days' },
}

export const spanOf = (name: string | undefined): SpanName => spanNames.find((known) => known === name) ?? 'day'

export const spanOptions = spanNames.map((value) => ({ value, text: spans[value].text }))

/** The start of the first bar, so that the last bar is the one that is running. */
export const startOf = ({ length, every }: Span, now: number) => Math.floor(now / every) * every - length + every

/** A period with two times, in bars whose length fits it. */
export interface Range {
  /** The start of the first bucket. */
  from: number
  /** The end of the last bucket. Undefined if the last bucket is still counted. */
  to: number | undefined
  every: number
  bucket: NonNullable<TimelineQuery['bucket']>
  /** Whether the buckets start and end with the chosen period. Else they also count decisions before or after it. */
  isExact: boolean
}

const mostBars = 60
const barLengths = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day, 30 * day]
/** How long the server keeps counts, with a margin for the time of the request. */
const kept = { minute: 2 * day - hour, hour: 35 * day - hour, day: 800 * day - 2 * day }
const lengthOf = { minute, hour, day }

/** The bars of a period of the address. Undefined if it has no valid time, or ends before it starts. */
export function rangeOf(from: string | undefined, to: string | undefined, now: number): Range | undefined {
  // A period that ends in the future is counted until now.
  const end = to === undefined || Date.parse(to) > now ? undefined : Date.parse(to)
  const start = from === undefined ? (end ?? now) - day : Date.parse(from)
  const last = end ?? now
  if ((from === undefined && to === undefined) || Number.isNaN(start) || Number.isNaN(last) || start >= last)
    return undefined
  const countedBy = (every: number) => {
    const bucket = grainOf(every)
    const length = lengthOf[bucket]
    const first = Math.floor(Math.max(start, now - kept.day) / length) * length
    const endOf = (time: number) => Math.ceil(time / length) * length
    const isFit = endOf(last) - first <= every * mostBars && first >= now - kept[bucket]
    const range = { from: first, to: end === undefined || endOf(end) > now ? undefined : endOf(end), every, bucket }
    return { isFit, range: { ...range, isExact: from !== undefined && range.from === start && range.to === end } }
  }
  return (barLengths.map(countedBy).find(({ isFit }) => isFit) ?? countedBy(30 * day)).range
}

const grainOf = (every: number): Range['bucket'] => (every < hour ? 'minute' : every < day ? 'hour' : 'day')

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** How the start of a bar is written on the axis. */
export const tickOf = (name: SpanName) => (start: number) => (name === 'week' ? dayName : clock).format(start)

/** How the start of a bar of a range is written on the axis. */
export const tickOfRange =
  ({ every }: Range) =>
  (start: number) =>
    (every < hour ? clock : every < day ? dayAndClock : date).format(start)

/** The end of a bar. The first and the last bar of a range may be shorter than the others. */
export const endOfBar = ({ every, to }: { every: number; to?: number | undefined }, start: number) =>
  Math.min((Math.floor(start / every) + 1) * every, to ?? Number.POSITIVE_INFINITY)

/** How a bar of a range is named. */
export const nameInRange = (range: Range, start: number) =>
  range.every < day
    ? `${dayAndClock.format(start)} to ${clock.format(endOfBar(range, start))}`
    : `${date.format(start)} to ${date.format(endOfBar(range, start))}`

/** How a bar is named: its start and its end. */
export const nameOf = (name: SpanName, start: number) =>
  `${(name === 'hour' ? clock : dayAndClock).format(start)} to ${clock.format(start + spans[name].every)}`

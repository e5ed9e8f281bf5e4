const hourMs = 60 * 60_000

/** A span of time, in milliseconds. `from` is included, `to` is not. */
export interface Range {
  from: number
  to: number
}

/** Which decisions a partition holds: of which retention, filed on which day, made from when to when. Times are in milliseconds. */
export interface Partition extends Range {
  retentionDays: number
  day: number
}

/**
 * Cuts a span into ranges, the newest first. Each range is four times as long as the one before. So a tenant with many decisions finds
 * a page in the first range, and one with few needs few statements. Leaves out ranges without decisions.
 */
export function rangesOf({ from, to }: Range, partitions: readonly Partition[]): Range[] {
  const ranges: Range[] = []
  let lengthMs = 24 * hourMs
  for (let end = newest(to, partitions); end > from; ) {
    const start = Math.max(from, end - lengthMs)
    const range = { from: start, to: end }
    if (partitions.some((one) => overlaps(one, range))) ranges.push(range)
    end = start
    lengthMs *= 4
  }
  return ranges
}

function newest(to: number, partitions: readonly Partition[]): number {
  return Math.min(
    to,
    partitions.reduce((latest, { to }) => Math.max(latest, to), 0),
  )
}

export function overlaps(one: Range, other: Range): boolean {
  return one.from < other.to && other.from < one.to
}

/** Joins buckets that follow each other, up to a day. `buckets` are the starts, newest first. Cuts what is outside `span`. */
export function rangesOfBuckets(buckets: readonly number[], lengthMs: number, span: Range): Range[] {
  const ranges: Range[] = []
  for (const start of buckets) {
    const before = ranges.at(-1)
    if (before && before.from === start + lengthMs && before.to - start <= 24 * hourMs) before.from = start
    else ranges.push({ from: start, to: start + lengthMs })
  }
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter(({ from, to }) => from < to)
}

/** Rounds up to 1, 2 or 5 times a power of ten, so that the ticks of an axis are easy to read. */
export function niceMaximum(value: number, ticks: number): { maximum: number; step: number } {
  if (value <= ticks) return { maximum: Math.max(1, ticks), step: 1 }
  const rough = value / ticks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
  return { maximum: Math.ceil(value / step) * step, step }
}

/** Heights of the parts of a stack in pixels, in order. A value above zero is at least 1.5 px high. */
export function stackHeights(values: readonly number[], maximum: number, height: number): number[] {
  return values.map((value) => (value > 0 ? Math.max(1.5, (value / maximum) * height) : 0))
}

export interface Bucket {
  start: number
  counts: Readonly<Record<string, number>>
}

/** Adds buckets up so that each is `every` ms long. Buckets keep the start of their first part. */
export function gather(buckets: readonly Bucket[], every: number): Bucket[] {
  const gathered: { start: number; counts: Record<string, number> }[] = []
  let slot: number | undefined
  for (const { start, counts } of buckets) {
    const own = Math.floor(start / every)
    if (own !== slot) gathered.push({ start, counts: {} })
    slot = own
    const sum = gathered.at(-1)?.counts ?? {}
    for (const [key, count] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + count
  }
  return gathered
}

export interface Dot {
  x: number
  y: number
}

interface Place {
  width: number
  height: number
  /** The time at the right end, in ms. */
  lastMs: number
}

const size = 10

/** The end of the time axis: the next of these values that holds every time. Later times are drawn at the end. */
const ends = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000]
export const endOf = (times: readonly number[]) => ends.find((end) => times.every((time) => time <= end)) ?? 60_000

/** The share `part` of the times is at most this long. Undefined without times. */
export function quantile(times: readonly number[], part: number): number | undefined {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
}

/** Puts one dot for each time above its place on the axis. Dots at the same place are stacked, and closer together where the stack is high. */
export function placeDots(times: readonly number[], { width, height, lastMs }: Place): Dot[] {
  const columns = new Map<number, number>()
  const columnOf = (time: number) => Math.round((Math.min(time, lastMs) / lastMs) * (width / size))
  for (const time of times) columns.set(columnOf(time), (columns.get(columnOf(time)) ?? 0) + 1)
  const highest = Math.max(1, ...columns.values())
  const step = Math.min(size, height / highest)
  const filled = new Map<number, number>()
  return times.map((time) => {
    const column = columnOf(time)
    const level = filled.get(column) ?? 0
    filled.set(column, level + 1)
    return { x: column * size, y: height - step * (level + 0.5) }
  })
}

import { median } from '../servers/real-server.ts'

export interface Times {
  /** Rows that the last request to the large tenant found. */
  found: number
  /** Median and worst of the small tenant, then of the large one, in milliseconds with two decimals. */
  cells: string[]
  largeMs: number
  /** Median of the large tenant divided by that of the small one. */
  growth: number
}

/**
 * Sends a request to the small (0) and the large (1) tenant in turns, so that other load on the machine affects both.
 * The first `before` requests are not timed.
 */
export async function timeInTurns(
  send: (at: 0 | 1) => Promise<{ ms: number; found: number }>,
  { before, counted }: { before: number; counted: number },
): Promise<Times> {
  const times: [number[], number[]] = [[], []]
  let found = 0
  for (let n = -before; n < counted; n++) {
    const [inSmall, inLarge] = [await send(0), await send(1)]
    found = inLarge.found
    if (n < 0) continue
    times[0].push(inSmall.ms)
    times[1].push(inLarge.ms)
  }
  const [smallMs, largeMs] = times.map(median) as [number, number]
  const [smallWorst, largeWorst] = times.map((all) => Math.max(...all)) as [number, number]
  const cells = [smallMs, smallWorst, largeMs, largeWorst].map((ms) => ms.toFixed(2))
  return { found, cells, largeMs, growth: largeMs / smallMs }
}

import type { Schema } from '@mandate/sdk'
import { duration } from './times.ts'
import { counted, numberOf } from './words.ts'

type Reach = NonNullable<Schema<'Overview'>['stop_reach']>

/** With fewer confirmations than this, "99 of 100" would name confirmations that do not exist. The text then says "about". */
const fewConfirmations = 100

/** What the last stop was. */
export const stopWords = { suspension: 'A suspension', freeze: 'A freeze', drill: 'A drill' } as const

/** How many running edges confirmed a stop, and how fast: "300 of 400 edges confirmed, 99 of 100 within 1.2 s". */
export function reachText({ kind, edges, confirmed, p99_ms: p99 }: Reach): string {
  if (edges === 0 && kind === 'drill') return 'No edge ran its agents'
  if (edges === 0) return 'No edge ran its agents. While a stop lasts, an edge that starts denies every call'
  const time = p99 === null ? '' : p99 < 60_000 ? `${(p99 / 1000).toFixed(1)}\u00a0s` : duration(p99)
  return `${numberOf(confirmed)} of ${counted(edges, '# edge', '# edges')} confirmed${time && within(confirmed, time)}`
}

function within(confirmed: number, time: string): string {
  if (confirmed === 1) return ` after ${time}`
  return confirmed < fewConfirmations ? ` within about ${time}` : `, 99\u00a0of\u00a0100 within ${time}`
}

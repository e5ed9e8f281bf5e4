import type { Schema } from '@mandate/sdk'
import { duration } from './times.ts'
import { counted, numberOf } from './words.ts'

type Reach = NonNullable<Schema<'Overview'>['stop_reach']>

/** How many running edges confirmed a stop, and how fast: "3 of 4 edges confirmed, 99 of 100 within 1.2 s". */
export function reachText({ edges, confirmed, p99_ms: p99 }: Reach): string {
  if (edges === 0) return 'No edge ran the agents of this stop. While it lasts, an edge that starts denies every call'
  const time = p99 === null ? '' : p99 < 60_000 ? `${(p99 / 1000).toFixed(1)}\u00a0s` : duration(p99)
  const within = time && `, 99\u00a0of\u00a0100 within ${time}`
  return `${numberOf(confirmed)} of ${counted(edges, '# edge', '# edges')} confirmed${within}`
}

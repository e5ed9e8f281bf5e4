import type { Schema } from '@mandate/sdk'
import { duration } from '../../words/times.ts'
import { counted, numberOf } from '../../words/words.ts'

type FreezeEdge = Schema<'FreezeEdge'>
type Freeze = Schema<'Freeze'>

export const afterOf = ({ after_ms: after }: FreezeEdge) => after ?? 0

export interface Reach {
  total: number
  confirmed: number
  /** Instances that run and have not confirmed yet. 0 after the freeze: then nobody waits for them. */
  waiting: number
  /** Instances that did not confirm and do not answer, and after the freeze all that had not confirmed. */
  missing: number
}

interface Rows {
  confirmed: readonly FreezeEdge[] | undefined
  waiting: readonly FreezeEdge[]
  unreachable: readonly FreezeEdge[]
}

/** How many instances confirmed. The page reads only a part of the instances of a large freeze, so the counts are those of the freeze, if the reader sees them. */
export function reachOf({ edges, active, drill }: Pick<Freeze, 'edges' | 'active' | 'drill'>, rows: Rows): Reach {
  const { length: confirmed = 0 } = rows.confirmed ?? []
  const [waiting, unreachable] = [rows.waiting.length, rows.unreachable.length]
  const found = edges ?? { total: confirmed + waiting + unreachable, confirmed, unreachable }
  const open = Math.max(0, found.total - found.confirmed)
  const missing = active || drill ? Math.min(found.unreachable, open) : open
  return { total: found.total, confirmed: found.confirmed, waiting: open - missing, missing }
}

const most = 10_000

/** How long the slowest confirmation took, as the end of a clause. Undefined unless the time of every confirmation was read. */
export function withinText({ edges }: Pick<Freeze, 'edges'>, times: readonly number[]): string | undefined {
  if (!edges || times.length === 0 || times.length < edges.confirmed) return undefined
  const slowest = Math.max(...times)
  return ` within ${slowest < 60_000 ? `${(slowest / 1000).toFixed(1)}\u00a0s` : duration(slowest)}`
}

/** The numbers of the chart for people who do not see it. */
export function reachLabel({ confirmed, waiting, missing }: Reach): string[] {
  return [
    counted(confirmed, '# edge confirmed.', '# edges confirmed.', most),
    ...(waiting > 0
      ? [counted(waiting, '# edge has not confirmed yet.', '# edges have not confirmed yet.', most)]
      : []),
    ...(missing > 0 ? [counted(missing, '# edge did not answer.', '# edges did not answer.', most)] : []),
  ]
}

/** What the dots are. Says so if they are only a part of the edges that confirmed. */
export function dotsText(dots: number, { confirmed }: Pick<Reach, 'confirmed'>): string {
  const each = 'Each dot is one edge and the time from the freeze to its confirmation.'
  if (dots >= confirmed) return each
  return `${each} The dots and the percentiles are of ${numberOf(dots)} of the edges that confirmed.`
}

/** The rows of one environment. */
export interface EnvironmentRows {
  /** Null for edges whose environment was deleted, and for agents without an environment. */
  environment: FreezeEdge['environment']
  /** Rows that did not confirm are first. */
  rows: readonly FreezeEdge[]
  confirmed: number
}

const order: Record<FreezeEdge['state'], number> = { unreachable: 0, waiting: 1, confirmed: 2 }

/** What is missing first, then the slowest. */
export const missingFirst = (a: FreezeEdge, b: FreezeEdge) => order[a.state] - order[b.state] || afterOf(b) - afterOf(a)

/** The rows by environment: those where most edges did not confirm first, then by name. */
export function byEnvironment(rows: readonly FreezeEdge[]): EnvironmentRows[] {
  const groups = Map.groupBy(rows, ({ environment }) => environment?.id)
  return [...groups.values()]
    .map((group) => ({
      environment: group[0]?.environment ?? null,
      rows: group.toSorted(missingFirst),
      confirmed: group.filter(({ state }) => state === 'confirmed').length,
    }))
    .toSorted(
      (a, b) =>
        b.rows.length - b.confirmed - (a.rows.length - a.confirmed) ||
        (a.environment?.name ?? '').localeCompare(b.environment?.name ?? ''),
    )
}

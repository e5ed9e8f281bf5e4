import type { Entry } from '../entry-sentence.ts'

/** Maximum number of entries that the browser checks. Each entry may have a signature, and checking one takes a few milliseconds. */
export const mostEntries = 10_000

/** Maximum difference between the time in the id of an entry and the time of the entry. */
const toleranceMs = 15 * 60_000

/** The part of the trail that has the loaded entries. */
export interface Period {
  from: string
  to: string
  /** The loaded entries in it. */
  entries: readonly Entry[]
  /** Count of loaded entries that are too old for it. */
  left: number
}

/** The period from the oldest to the newest loaded entry, shortened to the newest 10,000 entries of the trail in it. */
export function periodOf(loaded: readonly Entry[], most = mostEntries): Period {
  const last = Math.max(...loaded.map(({ seq = 0 }) => seq))
  const entries = loaded.filter(({ seq }) => seq === undefined || seq > last - most)
  const times = entries.flatMap(({ id, created_at }) => {
    const time = Date.parse(created_at)
    const isTrue = Math.abs(time - timeOf(id)) <= toleranceMs
    // In a longer trail, a changed time would make the period too long. The export then does not have the entry, and the check says so.
    return isTrue || (last <= most && time >= 0 && time < endOfTime) ? [time] : []
  })
  const from = Math.min(...times, endOfTime)
  return {
    from: new Date(from).toISOString(),
    // The end of a period is exclusive.
    to: new Date(Math.max(...times, from) + 1).toISOString(),
    entries,
    left: loaded.length - entries.length,
  }
}

const endOfTime = Date.UTC(9999, 0)

/** The time in a UUIDv7. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

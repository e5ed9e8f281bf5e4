import type { AuditProof } from '@mandate/contract/audit/audit'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { countWaitingFrom, findPlacesAt, findTrailEnds } from './proof-queries.ts'
import { findLastVerification } from './verification-queries.ts'

const hourMs = 3_600_000
const hoursShown = 24

/** Returns what is known of the trail without reading it: its length, its head, and when it was last verified. */
export async function getProof({ sql, now }: Pick<Ctx<Member>, 'sql' | 'now'>): Promise<AuditProof> {
  const starts = hoursBefore(now)
  const [ends, places, waitingByHour, verification] = await Promise.all([
    findTrailEnds(sql),
    findPlacesAt(sql, starts),
    countWaitingFrom(sql, starts),
    findLastVerification(sql),
  ])
  const { first_at, head, signed_at, waiting, waiting_since } = ends
  const sealedByHour = differences(places, head?.seq ?? 0)
  return {
    entries: (head?.seq ?? 0) + waiting,
    first_at,
    head,
    sealed_through: earlier(signed_at, waiting_since),
    waiting,
    last_verification: verification ?? null,
    hours: starts.map((start, at) => {
      const sealed = sealedByHour[at] ?? 0
      return { start, entries: sealed + (waitingByHour[at] ?? 0), sealed }
    }),
  }
}

/** Returns the starts of the last 24 hours in UTC, oldest first. The last one is the start of the current hour. */
function hoursBefore(now: string): string[] {
  const current = Math.floor(Date.parse(now) / hourMs) * hourMs
  return Array.from({ length: hoursShown }, (_, n) => new Date(current - (hoursShown - 1 - n) * hourMs).toISOString())
}

/**
 * Returns the number of places between each place and the next. A place of null is the end of the chain. An entry that was sealed
 * after newer ones may make a place lower than the one before; it then counts in a later hour.
 */
export function differences(places: readonly (number | null)[], head: number): number[] {
  let next = head + 1
  return places
    .map((place) => place ?? head + 1)
    .reverse()
    .map((place) => {
      const low = Math.min(place, next)
      const count = next - low
      next = low
      return count
    })
    .reverse()
}

const earlier = (a: string | null, b: string | null) => (a !== null && b !== null && b < a ? b : a)

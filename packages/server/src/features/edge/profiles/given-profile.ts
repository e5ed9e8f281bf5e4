import type { GivenProfile } from './profile-queries.ts'

/**
 * True if the stored sequence number is that of the current profile: the last request got a profile with this hash, and no drill
 * covers the agent since then.
 */
export function isGiven<G extends GivenProfile>(given: G, hash: string): given is G & { given_seq: number } {
  const { given_hash, given_seq, given_drill, newest_drill } = given
  const isDrilled = newest_drill !== null && (given_drill === null || newest_drill > given_drill)
  return given_seq !== null && given_hash === hash && !isDrilled
}

/**
 * Returns the sequence number of the current profile. If no request got this profile yet, this is the number that the next
 * request stores, so a heartbeat names it without a write.
 */
export function seqOf(given: GivenProfile, hash: string): number {
  return isGiven(given, hash) ? given.given_seq : (given.given_seq ?? 0) + 1
}

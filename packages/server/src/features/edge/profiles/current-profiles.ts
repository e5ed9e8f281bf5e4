import type { Database, Sql } from '../../../db/database.ts'
import { planOnce } from '../../../db/plan-once.ts'
import type { Reach } from '../reach/reach.ts'
import { lockGivenProfiles, storeGivenProfiles } from './current-profile-queries.ts'
import { isGiven } from './given-profile.ts'
import { type ProfileState, profileHash, stablePart } from './profile.ts'
import { findGivenProfiles } from './profile-queries.ts'

/** Maximum number of agents of one call. */
export const mostCurrentProfiles = 500

/** The data of an agent's current profile, with its hash and its sequence number. */
export interface CurrentProfile {
  agentId: string
  state: ProfileState
  hash: string
  seq: number
  /** The newest drill that covers the agent. */
  drillId: string | null
}

/**
 * Returns the current profiles of agents, at most `mostCurrentProfiles`. Profiles that differ from those of the last request get new sequence
 * numbers, as in `getMissionProfile`. Leaves out agents that do not exist or are not in reach.
 */
export async function currentProfiles(
  db: Database,
  tenantId: string,
  reach: Reach | 'any',
  agentIds: readonly string[],
): Promise<CurrentProfile[]> {
  const seen = await readProfiles(db.reader(tenantId), reach, agentIds)
  const stale = seen.filter(({ seq }) => seq === null).map(({ agentId }) => agentId)
  const given = seen.filter(hasSeq)
  return stale.length === 0 ? given : [...given, ...(await giveProfiles(db, tenantId, reach, stale))]
}

type ReadProfile = Omit<CurrentProfile, 'seq'> & { seq: number | null }

const hasSeq = (profile: ReadProfile): profile is CurrentProfile => profile.seq !== null

async function readProfiles(db: Sql, reach: Reach | 'any', agentIds: readonly string[]): Promise<ReadProfile[]> {
  const rows = await findGivenProfiles(db, reach, agentIds)
  return rows.map((row) => {
    const hash = profileHash(stablePart(row))
    const seq = isGiven(row, hash) ? row.given_seq : null
    return { agentId: row.agent_id, state: row, hash, seq, drillId: row.newest_drill }
  })
}

/**
 * Gives profiles new sequence numbers. The data is read after the lock, so it is not older than the data of the request before.
 */
function giveProfiles(db: Database, tenantId: string, reach: Reach | 'any', agentIds: readonly string[]) {
  return db.transaction(tenantId, async (tx) => {
    const [, , read] = await Promise.all([
      planOnce(tx),
      lockGivenProfiles(tx, agentIds),
      readProfiles(tx, reach, agentIds),
    ])
    const changed = read.filter(({ seq }) => seq === null)
    const stored = changed.length === 0 ? [] : await storeGivenProfiles(tx, changed)
    const seqs = new Map(stored.map(({ agentId, seq }) => [agentId, seq]))
    return read.map((profile) => ({ ...profile, seq: profile.seq ?? seqs.get(profile.agentId) ?? null })).filter(hasSeq)
  })
}

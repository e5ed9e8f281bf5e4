import type { MissionProfile } from '@mandate/contract/edge'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { notFound } from '../../../refusal.ts'
import { contentRules } from '../../content/profile-content.ts'
import { servedBy } from '../reach/served.ts'
import { lockGivenProfiles, storeGivenProfiles } from './current-profile-queries.ts'
import { isGiven } from './given-profile.ts'
import { profileHash, stablePart } from './profile.ts'
import { findProfileState, type ProfileRow } from './profile-queries.ts'
import { signedProfile } from './signed-profile.ts'

/**
 * Returns the signed profile of an agent. An agent that may not act gets a profile that denies everything. If the response were
 * an error instead, the edge would keep using the agent's old rules.
 * @throws 404 for an agent for which the caller's credential is not valid
 */
export async function getMissionProfile(ctx: Ctx<EdgeActor>, agentId: string): Promise<MissionProfile> {
  const { row, seq } = await currentProfile(ctx, agentId)
  const { bindings_version: version, bindings, patterns } = row
  const content = version === null ? undefined : contentRules(version, bindings ?? [], patterns)
  return signedProfile(ctx, row, { hash: hashOf(row), seq }, { snapshot: row.snapshot, content })
}

const hashOf = (row: ProfileRow) => profileHash(stablePart(row))

/**
 * Returns the data of the agent's current profile, and the sequence number of the profile. If the profile differs from the
 * profile that the last request got, or if a drill covers the agent since then, its hash and a new sequence number are stored. A lock
 * makes sure that only one request does this at a time.
 */
async function currentProfile(ctx: Ctx<EdgeActor>, agentId: string): Promise<{ row: ProfileRow; seq: number }> {
  const seen = await requireState(ctx.sql, ctx.actor, agentId)
  if (isGiven(seen, hashOf(seen))) return { row: seen, seq: seen.given_seq }
  return await ctx.inTenant(async (tx) => {
    await lockGivenProfiles(tx, [agentId])
    const row = await requireState(tx, ctx.actor, agentId)
    const hash = hashOf(row)
    if (isGiven(row, hash)) return { row, seq: row.given_seq }
    const [stored] = await storeGivenProfiles(tx, [{ agentId, hash, drillId: row.newest_drill }])
    if (!stored) throw notFound('agent')
    return { row, seq: stored.seq }
  })
}

async function requireState(db: Sql, actor: EdgeActor, agentId: string): Promise<ProfileRow> {
  const row = await findProfileState(db, servedBy(actor), agentId)
  if (!row) throw notFound('agent')
  return row
}

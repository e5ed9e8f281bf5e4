import type { MissionProfile } from '@mandate/contract/edge'
import type { Profiles, ProfilesRequest } from '@mandate/contract/edge-push'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { Pauses } from '../../concurrency/pauses.ts'
import { type CurrentProfile, currentProfiles } from '../edge/profiles/current-profiles.ts'
import { policiesOf } from '../edge/profiles/policies-of.ts'
import { signedProfile } from '../edge/profiles/signed-profile.ts'
import { servedBy } from '../edge/reach/served.ts'
import { carryAnywhere } from './carry-agents.ts'

/** The policies of one answer have at most about this many bytes. Edges refuse answers of more than 8 MiB. */
const mostPolicyBytes = 4 * 1024 * 1024

/** Returns the signed profiles of those of the agents for which the caller's credential is valid. */
export async function getProfiles(
  ctx: Ctx<EdgeActor>,
  { agent_ids, known_hashes = [], instance_id: instanceId }: ProfilesRequest,
): Promise<Profiles> {
  const { services, actor } = ctx
  const current = await currentProfiles(services.db, actor.tenantId, servedBy(actor), [...new Set(agent_ids)])
  const known = new Set(known_hashes)
  const [unchanged = [], wanted = []] = split(current, ({ hash }) => known.has(hash))
  const { data, remaining } = await sign(ctx, wanted)
  if (instanceId !== undefined) {
    const left = new Set(remaining)
    const given = current.filter(({ agentId }) => !left.has(agentId))
    await carryAnywhere(
      ctx,
      instanceId,
      given.map(({ agentId, hash }) => [agentId, hash]),
    )
  }
  return { data, unchanged: unchanged.map(({ agentId }) => agentId), remaining }
}

async function sign(ctx: Ctx<EdgeActor>, wanted: readonly CurrentProfile[]) {
  const policies = await policiesOf(ctx.sql, wanted, mostPolicyBytes)
  const data: MissionProfile[] = []
  const remaining: string[] = []
  const pauses = new Pauses()
  let bytes = 0
  for (const profile of wanted) {
    const policy = policies.get(profile)
    // Without a policy: it was not read, because the answer is full, or it was deleted after the profile was read. The next request gets it, or
    // a profile without this policy.
    if (policy === undefined || (data.length > 0 && bytes + policy.bytes > mostPolicyBytes)) {
      remaining.push(profile.agentId)
      continue
    }
    bytes += policy.bytes
    data.push(signedProfile(ctx, profile.state, profile, policy))
    await pauses.between()
  }
  return { data, remaining }
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

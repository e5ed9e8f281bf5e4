import type { Confirmation, Confirmations } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { planOnce } from '../../db/plan-once.ts'
import { invalid } from '../../refusal.ts'
import {
  type ConfirmedProfile,
  findConfirmed,
  findOwnKey,
  forgetStoppedInstances,
  hasInstance,
  insertFreezeConfirmations,
  lockOwnKey,
  type Sender,
  storeProfileConfirmations,
} from './confirmation-queries.ts'
import { isGiven } from './given-profile.ts'
import { findConfirmable } from './open-freeze-queries.ts'
import { deniesAll, profileHash, stablePart } from './profile.ts'
import { findGivenProfiles } from './profile-queries.ts'
import { quietAt } from './quiet.ts'
import { readConfirmations, requireSigned } from './read-confirmations.ts'
import { servedBy } from './served.ts'

interface Refused {
  index: number
  reason: string
}

/** A confirmation that can be read, with its place in the request. */
interface Said {
  index: number
  said: Confirmation
}

/** Returns why each confirmation at this place does not count. */
type Faults = Map<number, string>

/**
 * Stores what an instance says that it put in force. A confirmation that does not count is refused by itself.
 * @throws 400 if the signature does not verify, if the credential did not register the key, and before the first heartbeat of the instance
 */
export async function confirm(
  ctx: Ctx<EdgeActor>,
  sent: Confirmations,
): Promise<{ accepted: number; refused: Refused[] }> {
  const { actor, now } = ctx
  const { instance_id: instanceId, kid, signature } = sent
  const { credentialId } = actor
  if ((kid === undefined) !== (signature === undefined)) throw invalid('kid and signature are required together')
  if (kid !== undefined) {
    const publicKeyPem = await findOwnKey(ctx.sql, credentialId, kid)
    if (publicKeyPem === undefined)
      throw invalid('kid: this credential has not registered the key; send POST /edge/keys')
    requireSigned(sent, publicKeyPem)
  }
  const sender: Sender = { credentialId, instanceId, kid: kid ?? null, signature: signature ?? null, now }
  const read = readConfirmations(sent)
  const faults: Faults = new Map(read.flatMap((one) => ('fault' in one ? [[one.index, one.fault] as const] : [])))
  const said = read.filter((one): one is Said => 'said' in one)
  await ctx.inTenant(async (tx) => {
    const [, isKnown] = await Promise.all([
      planOnce(tx),
      hasInstance(tx, sender),
      ...(kid === undefined ? [] : [lockOwnKey(tx, credentialId, kid)]),
    ])
    if (!isKnown) throw invalid('instance_id: the control plane has no heartbeat of this instance; send one first')
    await confirmFreezes(tx, ctx, sender, said, faults)
    await confirmProfiles(tx, ctx, sender, said, faults)
  })
  const refused = [...faults].map(([index, reason]) => ({ index, reason })).sort((a, b) => a.index - b.index)
  return { accepted: read.length - refused.length, refused }
}

async function confirmFreezes(tx: Tx, ctx: Ctx<EdgeActor>, sender: Sender, all: readonly Said[], faults: Faults) {
  const named = all.flatMap(({ index, said: { freeze_id, at } }) => (freeze_id ? [{ index, id: freeze_id, at }] : []))
  if (named.length === 0) return
  const reach = servedBy(ctx.actor)
  const ids = [...new Set(named.map(({ id }) => id))]
  const confirmable = await findConfirmable(tx, reach, sender, ids)
  const counting = [...new Map(named.map((one) => [one.id, one])).values()].filter(({ id }) => confirmable.has(id))
  const countingIds = counting.map(({ id }) => id)
  await forgetStoppedInstances(tx, sender, countingIds, quietAt(ctx).silentBefore)
  await insertFreezeConfirmations(tx, reach, sender, counting)
  const confirmed = await findConfirmed(tx, sender, countingIds)
  for (const { index, id } of named) {
    if (!confirmable.has(id)) faults.set(index, 'the freeze is over, or it does not concern this instance')
    else if (!confirmed.has(id)) faults.set(index, 'another instance confirmed the freeze with this key')
  }
}

async function confirmProfiles(tx: Tx, ctx: Ctx<EdgeActor>, sender: Sender, all: readonly Said[], faults: Faults) {
  const named = all.flatMap(({ index, said }) => (said.agent_id ? [{ index, said, agentId: said.agent_id }] : []))
  if (named.length === 0) return
  const rows = await findGivenProfiles(tx, servedBy(ctx.actor), [...new Set(named.map(({ agentId }) => agentId))])
  const current = new Map(
    rows.map((row) => {
      const hash = profileHash(stablePart(row))
      return [row.agent_id, { hash, seq: isGiven(row, hash) ? row.given_seq : null, stops: deniesAll(row) }]
    }),
  )
  const counting = new Map<string, ConfirmedProfile>()
  for (const { index, agentId, said } of named) {
    const profile = current.get(agentId)
    if (!profile) faults.set(index, 'the credential does not serve the agent')
    else if (profile.seq === null || said.profile_hash !== profile.hash || said.profile_seq !== profile.seq)
      faults.set(index, 'this is not the current profile of the agent')
    else counting.set(agentId, { agentId, hash: profile.hash, seq: profile.seq, stops: profile.stops })
  }
  await storeProfileConfirmations(tx, sender, [...counting.values()])
}

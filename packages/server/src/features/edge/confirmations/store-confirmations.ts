import type { Confirmation } from '@mandate/contract/edge'
import type { GroupedOperation } from '../../../concurrency/tenant-groups.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { planGroupOnce } from '../../../db/plan-once.ts'
import { recordConfirmed } from '../../../events/confirmation-events.ts'
import { invalid, Refusal } from '../../../refusal.ts'
import type { Services } from '../../../services.ts'
import { isGiven } from '../profiles/given-profile.ts'
import { deniesAll, profileHash, stablePart } from '../profiles/profile.ts'
import { findGivenProfiles } from '../profiles/profile-queries.ts'
import type { Reach } from '../reach/reach.ts'
import {
  type ConfirmedFreeze,
  type ConfirmedProfile,
  findConfirmed,
  findKnownInstances,
  forgetStoppedInstances,
  insertFreezeConfirmations,
  lockKeysOf,
  type SaidFreeze,
  type Sender,
  storeProfileConfirmations,
} from './confirmation-queries.ts'

/** The confirmations of a request that can be read, each with its place in the request. The signature is verified. */
export interface ConfirmationRequest {
  sender: Sender
  said: readonly { index: number; said: Confirmation }[]
}

/** Why each confirmation at this place of a request does not count. */
export type Faults = Map<number, string>

// A request with more confirmations is stored alone. It would delay the other requests of a group more than the group saves.
const mostGrouped = 100
// Limits of a group. They keep its transaction short, because the next requests wait for it.
const mostRequests = 200
const mostConfirmations = 500

const storing: GroupedOperation<ConfirmationRequest, Faults | Refusal> = {
  choose: chooseConfirmations,
  run: (db, tenantId, requests) => storeTogether(db, tenantId, requests),
}

/**
 * Stores the confirmations of a request, together with others of the tenant that arrive while a transaction is in flight. Returns those that do
 * not count.
 * @throws 400 before the first heartbeat of the instance, and if the key was deleted meanwhile; then nothing of the request is stored
 */
export async function storeConfirmations(
  { db, groups }: Pick<Services, 'db' | 'groups'>,
  tenantId: string,
  request: ConfirmationRequest,
): Promise<Faults> {
  const isGrouped = request.said.length <= mostGrouped
  const stored = isGrouped
    ? await groups.run(storing, tenantId, request)
    : (await storeTogether(db, tenantId, [request]))[0]
  if (stored === undefined || stored instanceof Refusal) throw stored
  return stored
}

/**
 * Chooses the requests of the next group, in the order in which they arrived. Two requests of one instance, or with one key, are put into
 * different groups, and the earlier one is stored first.
 */
export function chooseConfirmations(waiting: readonly ConfirmationRequest[]): ConfirmationRequest[] {
  const chosen: ConfirmationRequest[] = []
  const taken = new Set<string>()
  let confirmations = 0
  for (const request of waiting) {
    const { credentialId, instanceId, kid } = request.sender
    const names = [`${credentialId} ${instanceId}`, ...(kid === null ? [] : [kid])]
    if (!names.some((name) => taken.has(name))) {
      confirmations += request.said.length
      if (chosen.length === mostRequests || (confirmations > mostConfirmations && chosen.length > 0)) break
      chosen.push(request)
    }
    for (const name of names) taken.add(name)
  }
  return chosen
}

/** Stores requests in one transaction. A request that is refused does not affect the others. */
function storeTogether(
  db: Database,
  tenantId: string,
  requests: readonly ConfirmationRequest[],
): Promise<(Faults | Refusal)[]> {
  return db.transaction(tenantId, async (tx) => {
    const senders = requests.map(({ sender }) => sender)
    const agentIds = new Set(requests.flatMap(({ said }) => said.flatMap((one) => one.said.agent_id ?? [])))
    const [, keys, instances, profiles] = await Promise.all([
      planGroupOnce(tx, requests.length),
      lockKeysOf(
        tx,
        senders.flatMap(({ kid }) => kid ?? []),
      ),
      findKnownInstances(tx, senders),
      findCurrentProfiles(tx, [...agentIds]),
    ])
    const answers = requests.map(({ sender }) => {
      if (sender.kid !== null && !keys.has(sender.kid)) return unknownKey()
      return instances.has(sender) ? (new Map() as Faults) : unknownInstance()
    })
    const accepted = requests.flatMap((request, place) => {
      const faults = answers[place]
      return faults instanceof Map ? [{ ...request, faults }] : []
    })
    await Promise.all([
      announceConfirmed(tx, accepted),
      storeProfileConfirmations(
        tx,
        accepted.flatMap((request) => currentOnes(request, profiles)),
      ),
    ])
    return answers
  })
}

const unknownInstance = () =>
  invalid('instance_id: the control plane has no heartbeat of this instance; send one first')

export const unknownKey = () => invalid('kid: this credential has not registered the key; send POST /edge/keys')

type Accepted = ConfirmationRequest & { faults: Faults }

/** Stores the confirmations of freezes, and tells event streams of the new ones. */
async function announceConfirmed(tx: Tx, requests: readonly Accepted[]): Promise<void> {
  const times = requests.map(({ sender }) => sender.now).sort()
  await recordConfirmed(tx, await confirmFreezes(tx, requests), times.at(-1) ?? '')
}

/** Stores the confirmations of freezes. Returns the freezes that instances confirmed for the first time. */
async function confirmFreezes(tx: Tx, requests: readonly Accepted[]): Promise<ConfirmedFreeze[]> {
  const named = requests.flatMap(({ sender, said, faults }) => {
    const freezes = new Map<string, SaidFreeze>()
    const ofRequest = said.flatMap(({ index, said: { freeze_id: freezeId, at } }) => {
      if (freezeId === undefined) return []
      const freeze = freezes.get(freezeId) ?? { sender, freezeId, at }
      freezes.set(freezeId, freeze)
      return [{ index, freeze, faults }]
    })
    return ofRequest
  })
  const freezes = [...new Set(named.map(({ freeze }) => freeze))]
  const [, confirmable, confirmed] = await Promise.all([
    forgetStoppedInstances(tx, freezes),
    insertFreezeConfirmations(tx, freezes),
    findConfirmed(tx, freezes),
  ])
  for (const { index, freeze, faults } of named) {
    if (!confirmable.has(freeze)) faults.set(index, 'the freeze is over, or it does not concern this instance')
    else if (!confirmed.has(freeze)) faults.set(index, 'another instance confirmed the freeze with this key')
  }
  return [...confirmable.values()].filter(({ isNew }) => isNew)
}

/** The current profile of an agent. `seq` is null if no request got this profile yet. */
interface CurrentProfile {
  environmentId: string | null
  hash: string
  seq: number | null
  stops: boolean
}

async function findCurrentProfiles(tx: Tx, agentIds: readonly string[]): Promise<Map<string, CurrentProfile>> {
  if (agentIds.length === 0) return new Map()
  const rows = await findGivenProfiles(tx, 'any', agentIds)
  return new Map(
    rows.map((row) => {
      const hash = profileHash(stablePart(row))
      const seq = isGiven(row, hash) ? row.given_seq : null
      return [row.agent_id, { environmentId: row.environment_id, hash, seq, stops: deniesAll(row) }]
    }),
  )
}

/** Returns the confirmed profiles that are the current ones. Notes the faults of the others. */
function currentOnes(
  { sender, said, faults }: Accepted,
  profiles: ReadonlyMap<string, CurrentProfile>,
): ConfirmedProfile[] {
  const current = new Map<string, ConfirmedProfile>()
  for (const { index, said: one } of said) {
    const { agent_id: agentId, profile_hash, profile_seq } = one
    if (agentId === undefined) continue
    const profile = profiles.get(agentId)
    if (!profile || !isInReach(sender.reach, agentId, profile))
      faults.set(index, 'the credential does not serve the agent')
    else if (profile.seq === null || profile_hash !== profile.hash || profile_seq !== profile.seq)
      faults.set(index, 'this is not the current profile of the agent')
    else current.set(agentId, { sender, agentId, hash: profile.hash, seq: profile.seq, stops: profile.stops })
  }
  return [...current.values()]
}

/** True if a credential with this reach is valid for the agent. */
const isInReach = (reach: Reach, agentId: string, { environmentId }: CurrentProfile) =>
  reach.agentId === agentId || (reach.environmentId !== null && reach.environmentId === environmentId)

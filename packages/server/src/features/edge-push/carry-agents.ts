import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { recordEvent } from '../../events/record-event.ts'
import { carriedType } from './edge-events.ts'
import { openEdgesOf } from './open-streams.ts'
import type { CarriedAgent } from './tenant-edges.ts'

type Caller = Pick<Ctx<EdgeActor>, 'services' | 'actor'>

/**
 * Adds agents that a request named to the open streams of its instance on this server. Returns false if it has no open stream here.
 * `instanceId` is undefined for a request that does not say its instance.
 */
export async function carryHere(
  { services, actor }: Caller,
  instanceId: string | undefined,
  agents: readonly CarriedAgent[],
): Promise<boolean> {
  const edges = await openEdgesOf(services, actor.tenantId)
  const own = [...(edges?.streams ?? [])].filter((stream) => stream.isOf(actor.credentialId, instanceId))
  for (const stream of own) edges?.carry(stream, agents)
  return own.length > 0
}

/** Like `carryHere`. If no stream of the instance is open on this server, tells the other servers. */
export async function carryAnywhere(
  ctx: Ctx<EdgeActor>,
  instanceId: string,
  agents: readonly CarriedAgent[],
): Promise<void> {
  if (agents.length === 0 || (await carryHere(ctx, instanceId, agents))) return
  await ctx.inTenant((tx) =>
    recordEvent(tx, {
      type: carriedType,
      audience: 'edge',
      resource: { type: 'edge', id: ctx.actor.credentialId },
      details: { instance_id: instanceId, agents },
      at: ctx.now,
    }),
  )
}

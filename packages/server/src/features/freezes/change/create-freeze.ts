import { uuid } from '@mandate/contract/fields/fields'
import { type Freeze, faultOfTarget, freezeScopes, type NewFreeze } from '@mandate/contract/freezes'
import { lockFreezes } from '../../../agent-state/frozen.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { invalid, throwIfRefused } from '../../../refusal.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { findFreeze, insertFreeze } from '../freeze-queries.ts'
import { countInstances } from '../instance-queries.ts'
import { instancesOf } from '../reach.ts'
import { foundFreeze, freezeJson, requireFreeze } from '../read-freezes.ts'
import { frozenRefusal, scopeRefusal, targetRefusal } from '../rules.ts'
import { endApprovals, endSomeApprovals } from './end-approvals.ts'
import { requireTarget } from './find-target.ts'
import { recordFreeze } from './record-freeze.ts'
import { countCovered, type FoundTarget } from './target-queries.ts'

/**
 * Starts a freeze, or runs a drill. From the commit on, no approval of the agents can be granted or used.
 * @throws 400 if the target does not match the scope; 403 for the organization unless the caller is an owner; 404 for a target that the
 * caller does not see; 409 for an archived agent, and if an active freeze has the same target
 */
export async function createFreeze(ctx: Ctx<Member>, input: NewFreeze): Promise<Freeze> {
  throwIfRefused(scopeRefusal(ctx.actor, input.scope))
  const fault = faultOfTarget(input)
  if (fault !== null) throw invalid(fault)
  const { freeze, isMore } = await ctx.inTenant((tx) => start(tx, ctx, input))
  if (!isMore) return freeze
  await endMore(ctx, freeze.id)
  return await freezeJson(ctx.sql, ctx, await requireFreeze(ctx.sql, ctx.actor, freeze.id))
}

/** `isMore` is true if further approvals of the agents must be ended. */
interface Started {
  freeze: Freeze
  isMore: boolean
}

async function start(tx: Tx, ctx: Ctx<Member>, { reason, drill = false, ...wanted }: NewFreeze): Promise<Started> {
  const { actor, now } = ctx
  if (!drill) await lockFreezes(tx)
  const target = await requireTarget(tx, actor, wanted)
  throwIfRefused(targetRefusal(target))
  const { scope, id: target_id, name, environmentId: environment_id } = target
  const freeze = { id: newId(), scope, target_id, environment_id, name, drill, created_at: now }
  const { agents, edges } = await countReach(tx, ctx, target, freeze)
  const event = drill ? 'freeze.drilled' : 'freeze.started'
  const details = { reason, agents, edges, target_id }
  const audit_entry_id = await recordFreeze(tx, ctx, event, freeze, details)
  const by = { created_by: actor.userId, audit_entry_id }
  const stored = await insertFreeze(tx, { ...freeze, reason, agents, edges_total: edges, ...by })
  if (!stored) throw frozenRefusal(scope)
  const isMore = !drill && (await endSomeApprovals(tx, ctx, stored.id, { scope, id: target_id }))
  const row = foundFreeze(await findFreeze(tx, actor, stored.id))
  return { freeze: await freezeJson(tx, ctx, row), isMore }
}

/** The freeze is in force already, so a failure to end approvals must not look like a failure of the freeze. A job ends them later. */
async function endMore(ctx: Ctx<Member>, id: string): Promise<void> {
  await endApprovals(ctx.services, ctx, id).catch((error: Error) => {
    ctx.services.log.warn(
      { err: error, freeze_id: id },
      'the approvals of a freeze could not be ended; a job tries again',
    )
  })
}

/** Counts the agents and the instances of a freeze that starts, whatever the actor sees. Each count stops at 10,000. */
async function countReach(tx: Tx, ctx: Ctx<Member>, target: FoundTarget, freeze: Parameters<typeof instancesOf>[0]) {
  const everybody: Member = { ...ctx.actor, accessScope: 'all', key: null }
  const [{ agents }, { open }] = await Promise.all([
    countCovered(tx, everybody, target, ctx.now),
    countInstances(tx, everybody, instancesOf({ ...freeze, drill: false }), quietAt(ctx)),
  ])
  return { agents, edges: open }
}

/** The refusals of `createFreeze` that do not depend on a valid body. They come before the 400 for the body. */
export async function refuseFreeze({ actor, sql }: Ctx<Member>, rawBody: unknown): Promise<void> {
  const { scope, agent_id, environment_id } = (rawBody ?? {}) as Record<string, unknown>
  throwIfRefused(scopeRefusal(actor, scope))
  const known = freezeScopes.find((one) => one === scope)
  const id = uuid.safeParse(known === 'agent' ? agent_id : environment_id)
  if (!id.success || (known !== 'agent' && known !== 'environment')) return
  throwIfRefused(
    targetRefusal(await requireTarget(sql, actor, { scope: known, agent_id: id.data, environment_id: id.data })),
  )
}

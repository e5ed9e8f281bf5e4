import { type FreezePreview, type FreezeTarget, faultOfTarget } from '@mandate/contract/freezes'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { invalid } from '../../../refusal.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { countInstances } from '../instance-queries.ts'
import { inSnapshot } from '../read-freezes.ts'
import { requireTarget } from './find-target.ts'
import { countCovered } from './target-queries.ts'

const noFreeze = '00000000-0000-0000-0000-000000000000'

/**
 * Counts what a freeze would stop, as far as the caller sees it.
 * @throws 400 if the target does not match the scope; 404 for a target that the caller does not see
 */
export async function previewFreeze(ctx: Ctx<Member>, wanted: FreezeTarget): Promise<FreezePreview> {
  const fault = faultOfTarget(wanted)
  if (fault !== null) throw invalid(fault)
  const { actor, now } = ctx
  return await inSnapshot(ctx, async (sql) => {
    const target = await requireTarget(sql, actor, wanted)
    const { scope, id, environmentId: place } = target
    const instances = { freezeId: noFreeze, scope, target: id, place, startedBy: 'infinity' }
    const [{ agents, approvals }, { open, unreachable }] = await Promise.all([
      countCovered(sql, actor, target, now),
      countInstances(sql, actor, instances, quietAt(ctx)),
    ])
    return { agents, edges: open, silent: unreachable, approvals }
  })
}

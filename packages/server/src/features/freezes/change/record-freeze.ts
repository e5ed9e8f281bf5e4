import { recordAudit } from '../../../audit/record-audit.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import type { FreezeRow } from '../freeze-queries.ts'

type Recorded = Pick<FreezeRow, 'id' | 'scope' | 'target_id' | 'environment_id' | 'name' | 'drill'>

/**
 * Records the start or the end of a freeze, or a drill, in the transaction of the change. Every change of a freeze passes this function, so
 * it is the place from which edges and screens are told. Returns the id of the audit entry.
 */
export async function recordFreeze(
  tx: Tx,
  ctx: Ctx<Member>,
  event: 'freeze.started' | 'freeze.lifted' | 'freeze.drilled',
  freeze: Recorded,
  details: Record<string, unknown>,
): Promise<string> {
  const { id, scope, target_id: target, environment_id: environmentId, name, drill } = freeze
  return await recordAudit(tx, ctx, event, {
    resource: { type: 'freeze', id, name },
    details: { scope, drill, ...details },
    agentId: scope === 'agent' ? target : null,
    environmentId,
  })
}

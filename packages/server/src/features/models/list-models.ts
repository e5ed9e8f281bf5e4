import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findModels } from './queries.ts'

/** Returns the models that the agents in the caller's sight declare or use. */
export async function listModels(
  { services, actor, now }: Ctx<Member>,
  { limit, offset }: { limit: number; offset: number },
) {
  // A transaction of its own, because the statement would delay the reads that share a connection.
  const { models, total } = await services.db.transaction(actor.tenantId, (tx) =>
    findModels(tx, actor, { limit, offset, now }),
  )
  return { data: models, total, limit, offset }
}

import type { EdgeSession } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findServedEnvironment } from './edge-queries.ts'
import { servedBy } from './served.ts'

/**
 * Returns which agent or environment the caller's credential serves. So a program with an agent key need not be configured with the
 * agent's id.
 */
export async function getEdgeSession({ actor, sql }: Ctx<EdgeActor>): Promise<EdgeSession> {
  return {
    credential: actor.kind,
    agent: actor.kind === 'agent' ? { id: actor.agentId, name: actor.name } : null,
    environment: (await findServedEnvironment(sql, servedBy(actor))) ?? null,
  }
}

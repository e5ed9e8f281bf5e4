import type { EdgeSession } from '@mandate/contract/edge'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { servedBy } from '../reach/served.ts'
import { findServedEnvironment } from './edge-queries.ts'

/**
 * Returns which agent or environment the caller's credential serves. A program with an agent key reads its agent's id here, so
 * the id need not be configured.
 */
export async function getEdgeSession({ actor, sql }: Ctx<EdgeActor>): Promise<EdgeSession> {
  return {
    credential: actor.kind,
    agent: actor.kind === 'agent' ? { id: actor.agentId, name: actor.name } : null,
    environment: (await findServedEnvironment(sql, servedBy(actor))) ?? null,
  }
}

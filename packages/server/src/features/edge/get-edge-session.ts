import type { EdgeSession } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findServedEnvironment } from './edge-queries.ts'
import { servedBy } from './served.ts'

/** Whom the calling credential serves, so that a program with an agent's key need not be told the agent's id. */
export async function getEdgeSession({ actor, sql }: Ctx<EdgeActor>): Promise<EdgeSession> {
  return {
    credential: actor.kind,
    agent: actor.kind === 'agent' ? { id: actor.agentId, name: actor.name } : null,
    environment: (await findServedEnvironment(sql, servedBy(actor))) ?? null,
  }
}

import type { EdgeActor } from '../../../authz/actor.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { notFound } from '../../../refusal.ts'
import { findServed, lockServed } from './evidence-queries.ts'
import type { Reach } from './reach.ts'

/**
 * Returns the agents for which a credential is valid. An agent key is valid for one agent, so only `agentId` is set. An edge
 * key is valid for all agents of one environment, so only `environmentId` is set.
 */
export function servedBy(actor: EdgeActor): Reach {
  return actor.kind === 'agent'
    ? { agentId: actor.agentId, environmentId: null }
    : { agentId: null, environmentId: actor.environmentId }
}

/** @throws 404 unless the credential is valid for all of these agents */
export async function requireServed(db: Sql, actor: EdgeActor, agentIds: readonly string[]): Promise<void> {
  const wanted = new Set(agentIds)
  const served = await findServed(db, servedBy(actor), [...wanted])
  if (served.length < wanted.size) throw notFound('agent')
}

/** Like `requireServed` for one agent. Also locks the agent's row until the transaction ends. */
export async function requireServedLocked(tx: Tx, actor: EdgeActor, agentId: string): Promise<void> {
  if (!(await lockServed(tx, servedBy(actor), agentId))) throw notFound('agent')
}

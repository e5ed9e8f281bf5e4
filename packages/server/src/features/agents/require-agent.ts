import type { Member } from '../../authz/actor.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { type AgentRow, findAgent, lockAgent } from './queries.ts'

/** @throws 404 for an unknown id, and the same 404 for an agent that the caller cannot see */
export async function requireAgent(db: Sql, actor: Member, id: string): Promise<AgentRow> {
  return found(await findAgent(db, actor, id))
}

/** Like `requireAgent`, and locks the row until the transaction ends. */
export async function requireAgentLocked(tx: Tx, actor: Member, id: string): Promise<AgentRow> {
  return found(await lockAgent(tx, actor, id))
}

/** Returns the row or JSON that a query found. @throws 404 for undefined */
export function found<T>(agent: T | undefined): T {
  if (agent === undefined) throw notFound('agent')
  return agent
}

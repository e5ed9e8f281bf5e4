import type { Member } from '../../authz/actor.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { type AgentRow, findAgent, lockAgent } from './queries.ts'

/** @throws 404 for an agent the caller cannot see, exactly as for an unknown id */
export async function requireAgent(db: Sql, actor: Member, id: string): Promise<AgentRow> {
  return found(await findAgent(db, actor, id))
}

/** As `requireAgent`, the row locked until the transaction ends. */
export async function requireAgentLocked(tx: Tx, actor: Member, id: string): Promise<AgentRow> {
  return found(await lockAgent(tx, actor, id))
}

/** The row, or the JSON, that was looked for. */
export function found<T>(agent: T | undefined): T {
  if (agent === undefined) throw notFound('agent')
  return agent
}

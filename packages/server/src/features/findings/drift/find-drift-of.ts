import type { Tx } from '../../../db/database.ts'
import { notFound } from '../../../refusal.ts'
import { type DriftState, findDrift } from './drift-queries.ts'

/** Returns the drift state of one agent. The agent's row must be locked. */
export async function findDriftOf(tx: Tx, agentId: string): Promise<DriftState> {
  const [state] = await findDrift(tx, [agentId])
  if (!state) throw notFound('agent')
  return state
}

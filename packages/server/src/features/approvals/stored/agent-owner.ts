import type { Tx } from '../../../db/database.ts'
import { deleteAgentOwner, storeAgentOwner } from './owner-queries.ts'

/**
 * Pending approvals store the current owner of their agent, because the list of the approvals that a caller could decide leaves out
 * the caller's own agents. The agent's row must be locked, so that a new approval gets either the old owner, or waits.
 */
export function changeAgentOwner(tx: Tx, agentId: string, ownerId: string | null): Promise<void> {
  return storeAgentOwner(tx, agentId, ownerId)
}

/** Removes a user from the pending approvals. The agents that the user owned must already be without an owner. */
export function forgetAgentOwner(tx: Tx, userId: string): Promise<void> {
  return deleteAgentOwner(tx, userId)
}

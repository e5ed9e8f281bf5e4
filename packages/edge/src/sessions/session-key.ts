import { createHash } from 'node:crypto'
import type { ToolCall } from '../guard/guard.ts'

/** Which calls are one session: all calls of an agent, or those that its caller gives one `session_id`. */
export type SessionSplit = 'agent' | 'caller'

type Named = Pick<ToolCall, 'sessionId' | 'isSessionOfEdge'>

/**
 * Returns the key of the session that a call belongs to. A session id of the edge separates nothing, so that an agent cannot lose its labels
 * with a new MCP session.
 */
export function sessionKey(agentId: string, { sessionId, isSessionOfEdge }: Named, split: SessionSplit): string {
  if (split === 'agent' || sessionId === undefined || isSessionOfEdge) return agentId
  return `${agentId}.${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}`
}

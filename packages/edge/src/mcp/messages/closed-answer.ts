import type { Closing } from '../../carry/agent-standing.ts'
import type { Guard } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { rpcError, stoppedByPolicy } from './rpc-error.ts'

/**
 * Returns why the edge is closed (denies every call of the agent), or null if it is open. If `guard` throws an error, the edge
 * counts as closed.
 */
export function closingOf(guard: Pick<Guard, 'closing'>): Closing | null {
  try {
    return guard.closing()
  } catch {
    return { code: 'no_profile', reason: 'the edge could not decide' }
  }
}

/** Builds the answer to a request that arrives while the edge is closed (denies every call of the agent). */
export function closedError(id: JsonValue | undefined, { code, reason }: Closing): JsonObject {
  return rpcError(id, stoppedByPolicy, `Denied: the edge currently denies every call of this agent: ${reason}`, {
    'mandate/closed': { code, reason },
  })
}

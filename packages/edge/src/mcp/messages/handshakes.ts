import type { JsonObject, JsonValue } from './json.ts'
import { clientRequests } from './methods.ts'
import { isRequest } from './read-message.ts'

const mostOpen = 1000

/**
 * Tracks the unanswered pings and session-opening requests of a client. Their answers may pass while the edge is closed (denies
 * every call of the agent).
 */
export class Handshakes {
  private readonly open = new Map<JsonValue, string>()

  /**
   * Records the pings and the session-opening requests among messages that are sent to the server. Keeps at most a thousand
   * unanswered requests and drops the oldest first.
   */
  note(messages: readonly JsonObject[]): void {
    for (const message of messages) {
      if (!isRequest(message)) continue
      const id = message.id as JsonValue
      this.open.delete(id)
      const method = String(message.method)
      if (clientRequests.get(method) !== 'always') continue
      this.open.set(id, method)
      if (this.open.size > mostOpen) this.open.delete(this.open.keys().next().value as JsonValue)
    }
  }

  /**
   * Returns the method of the recorded request that this message answers, or undefined if there is no such request. Removes the
   * request, so that only one answer matches it.
   */
  take({ id = null }: JsonObject): string | undefined {
    const method = this.open.get(id)
    this.open.delete(id)
    return method
  }
}

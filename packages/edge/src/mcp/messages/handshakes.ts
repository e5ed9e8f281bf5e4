import type { JsonObject, JsonValue } from './json.ts'
import { clientRequests } from './methods.ts'
import { isRequest } from './read-message.ts'

const mostOpen = 1000

/** Tracks the open requests of a client whose answers may pass while the edge is closed: pings, and requests that open a session. */
export class Handshakes {
  private readonly open = new Map<JsonValue, string>()

  /** Notes the requests that are sent to the server. Keeps at most a thousand open requests and forgets the oldest first. */
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
   * Returns the method of the request that a message answers. Returns undefined if no noted request matches. Each request
   * matches one answer only.
   */
  take({ id = null }: JsonObject): string | undefined {
    const method = this.open.get(id)
    this.open.delete(id)
    return method
  }
}

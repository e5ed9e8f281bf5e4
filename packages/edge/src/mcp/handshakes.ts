import type { JsonObject, JsonValue } from './json.ts'
import { clientRequests } from './methods.ts'
import { isRequest } from './read-message.ts'

const mostOpen = 1000

/** The open requests of a client whose answers pass while the edge is closed: what opens a session, and pings. */
export class Handshakes {
  private readonly open = new Set<JsonValue>()

  /** Notes requests that go to the server. Of more than a thousand open ones the oldest are forgotten. */
  note(messages: readonly JsonObject[]): void {
    for (const message of messages) {
      if (!isRequest(message)) continue
      const id = message.id as JsonValue
      this.open.delete(id)
      if (clientRequests.get(String(message.method)) !== 'always') continue
      this.open.add(id)
      if (this.open.size > mostOpen) this.open.delete(this.open.values().next().value as JsonValue)
    }
  }

  /** Whether a message answers a noted request. Each request is answered once. */
  take({ id }: JsonObject): boolean {
    return id !== undefined && this.open.delete(id)
  }
}

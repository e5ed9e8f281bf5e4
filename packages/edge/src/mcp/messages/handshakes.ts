import type { JsonObject, JsonValue } from './json.ts'
import { clientRequests } from './methods.ts'
import { isRequest } from './read-message.ts'

const mostOpen = 1000

/** The open requests of a client whose answers pass while the edge is closed: pings, and requests that open a session. */
export class Handshakes {
  private readonly open = new Map<JsonValue, string>()

  /** Notes requests that go to the server. Keeps at most a thousand open ones and forgets the oldest. */
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

  /** The method of the noted request that a message answers. Undefined if it answers none. Each request is answered once. */
  take({ id = null }: JsonObject): string | undefined {
    const method = this.open.get(id)
    this.open.delete(id)
    return method
  }
}

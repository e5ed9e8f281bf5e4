import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../messages/json.ts'
import { isObject, isRequest } from '../messages/read-message.ts'

/** Maximum number of subscriptions that are made again after a restart of the server. */
const mostSubscriptions = 100

/** Remembers what a client told its server at the start of the session, so that a restarted server can be told the same. */
export class SessionOpening {
  private initialize: JsonObject | null = null
  private initialized: JsonObject | null = null
  private level: JsonObject | null = null
  private readonly subscriptions = new Map<string, JsonObject>()

  /** Notes messages that are sent to the server. */
  note(messages: readonly JsonObject[]): void {
    for (const message of messages) this.noteOne(message)
  }

  /** Returns what to send to a server that has restarted, in order. Requests have ids that no client uses. */
  messages(): JsonObject[] {
    if (!this.initialize) return []
    const told = [this.initialize, this.initialized, this.level, ...this.subscriptions.values()]
    return told
      .filter((message) => message !== null)
      .map((message) => (isRequest(message) ? { ...message, id: `mandate-restart-${randomUUID()}` } : message))
  }

  private noteOne(message: JsonObject): void {
    const { method, params } = message
    const uri = isObject(params) && typeof params.uri === 'string' ? params.uri : null
    if (method === 'initialize' && isRequest(message)) this.initialize = message
    else if (method === 'notifications/initialized') this.initialized = message
    else if (method === 'logging/setLevel' && isRequest(message)) this.level = message
    else if (method === 'resources/unsubscribe' && uri !== null) this.subscriptions.delete(uri)
    else if (method === 'resources/subscribe' && uri !== null && isRequest(message)) {
      this.subscriptions.delete(uri)
      if (this.subscriptions.size < mostSubscriptions) this.subscriptions.set(uri, message)
    }
  }
}

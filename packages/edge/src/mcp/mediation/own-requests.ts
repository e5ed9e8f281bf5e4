import type { JsonObject, JsonValue } from '../messages/json.ts'
import { askTimeoutMs } from './list-tools.ts'

interface Asked {
  readonly resolve: (answer: JsonObject) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Tracks the requests that the edge itself sends to a started tool server. The client does not get their answers. */
export class OwnRequests {
  private readonly asked = new Map<JsonValue, Asked>()

  /** Sends the request with an id that no client uses. @throws if no answer comes within ten seconds, or if the server stops */
  ask(request: JsonObject, send: (request: JsonObject) => Promise<void>): Promise<JsonObject> {
    const id = request.id as JsonValue
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(timer)
        if (this.asked.delete(id)) reject(error)
      }
      const timer = setTimeout(() => fail(new Error('the tool server did not answer in time')), askTimeoutMs)
      this.asked.set(id, { resolve, reject, timer })
      send(request).catch(fail)
    })
  }

  /** Handles the answer to a request that the edge sent. Returns false for other messages. */
  take(message: JsonObject): boolean {
    if (message.method !== undefined || message.id === undefined) return false
    const asked = this.asked.get(message.id)
    if (!asked) return false
    this.asked.delete(message.id)
    clearTimeout(asked.timer)
    asked.resolve(message)
    return true
  }

  /** Rejects all requests that have no answer yet. */
  close(reason: string): void {
    for (const { reject, timer } of this.asked.values()) {
      clearTimeout(timer)
      reject(new Error(reason))
    }
    this.asked.clear()
  }
}

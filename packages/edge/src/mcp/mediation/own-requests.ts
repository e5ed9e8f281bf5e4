import type { JsonObject, JsonValue } from '../messages/json.ts'
import { askTimeoutMs } from './list-tools.ts'

interface Asked {
  readonly resolve: (answer: JsonObject) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Requests that the edge itself makes of a started tool server. Their answers are not passed on to the client. */
export class OwnRequests {
  private readonly asked = new Map<JsonValue, Asked>()

  /** Sends the request, whose id no client uses. @throws where no answer comes within ten seconds, or the server ends */
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

  /** Takes the answer to one of these requests. Returns false for other messages. */
  take(message: JsonObject): boolean {
    if (message.method !== undefined || message.id === undefined) return false
    const asked = this.asked.get(message.id)
    if (!asked) return false
    this.asked.delete(message.id)
    clearTimeout(asked.timer)
    asked.resolve(message)
    return true
  }

  /** Ends all requests that are not answered. */
  close(): void {
    for (const { reject, timer } of this.asked.values()) {
      clearTimeout(timer)
      reject(new Error('the tool server ended before it answered'))
    }
    this.asked.clear()
  }
}

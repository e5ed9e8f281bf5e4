import type { JsonObject, JsonValue } from './json.ts'
import { cancelledId, isObject, isRequest } from './read-message.ts'

interface Waiting {
  readonly timer: NodeJS.Timeout
  readonly token: JsonValue | undefined
}

/**
 * Limits how long a started server may take to answer a request. A progress notification for a request restarts the request's
 * timeout. Subscriptions have no timeout, because they are answered when they end.
 */
export class RequestTimeouts {
  private readonly waiting = new Map<JsonValue, Waiting>()
  private readonly timeoutMs: number
  private readonly onTimeout: (id: JsonValue) => void

  /** `onTimeout` is called with the id of a request that was not answered within `timeoutMs`. */
  constructor(timeoutMs: number, onTimeout: (id: JsonValue) => void) {
    this.timeoutMs = timeoutMs
    this.onTimeout = onTimeout
  }

  /** Starts the timeout of a request that is sent to the server. A cancellation ends the timeout of the request that it names. */
  start(message: JsonObject): void {
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) this.end(cancelled)
    if (!isRequest(message) || message.method === 'subscriptions/listen') return
    const meta = isObject(message.params) && isObject(message.params._meta) ? message.params._meta : {}
    const id = message.id as JsonValue
    this.end(id)
    const timer = setTimeout(() => {
      this.waiting.delete(id)
      this.onTimeout(id)
    }, this.timeoutMs)
    this.waiting.set(id, { timer, token: meta.progressToken })
  }

  /** Handles a message of the server: an answer ends the timeout of its request, and a progress notification restarts it. */
  take({ method, id = null, params }: JsonObject): void {
    if (method === undefined) this.end(id)
    const reported = method === 'notifications/progress' && isObject(params) ? params.progressToken : undefined
    if (reported === undefined) return
    for (const { timer, token } of this.waiting.values()) if (token === reported) timer.refresh()
  }

  close(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer)
    this.waiting.clear()
  }

  private end(id: JsonValue): void {
    clearTimeout(this.waiting.get(id)?.timer)
    this.waiting.delete(id)
  }
}

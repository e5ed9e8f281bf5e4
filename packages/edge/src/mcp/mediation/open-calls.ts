import type { Decision, Guard } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { cancelledId, isObject, isRequest } from '../messages/read-message.ts'

const mostOpen = 10_000

/** A request that was sent to a tool server, and the decision that let it pass. */
export interface OpenCall {
  readonly request: JsonObject
  /** Null if the policy did not decide the request, such as one for a list. */
  readonly decision: Decision | null
}

/** The decisions that let messages pass, by message. */
const decisions = new WeakMap<JsonObject, Decision>()
/** The newest decided call of each guard by server, for texts of the server that answer no request. */
const newest = new WeakMap<Guard, Map<string, Decision>>()

/** Remembers which decision let a message pass. */
export function noteDecision(message: JsonObject, decision: Decision): void {
  decisions.set(message, decision)
}

/** Returns the decision that let a message pass. Undefined if the policy did not decide the message. */
export function decisionOf(message: JsonObject): Decision | undefined {
  return decisions.get(message)
}

/** Lets a message that stands in the place of another one have its decision. */
export function keepDecision(before: JsonObject, after: JsonObject): void {
  const decision = decisions.get(before)
  if (decision) decisions.set(after, decision)
}

interface OpenCallsOptions {
  /** Whether an answer to a request that is not open may pass, because it belongs to an earlier connection or to no request. */
  readonly takesUnknown?: (answer: JsonObject) => boolean
  /** Whether texts of the server may belong to calls that were made before the edge started. */
  readonly mayBeEarlier?: boolean
}

/** The unanswered requests to a tool server over one connection. Finds the decision that an answer belongs to. */
export class OpenCalls {
  readonly mayBeEarlier: boolean
  private readonly guard: Guard
  private readonly server: string
  private readonly takesUnknown: (answer: JsonObject) => boolean
  private readonly open = new Map<JsonValue, OpenCall>()
  /** The ids of open requests that the client cancelled. The server may still answer them. */
  private readonly cancelled = new Set<JsonValue>()

  constructor(
    { guard, server }: { guard: Guard; server: string },
    { takesUnknown = () => false, mayBeEarlier = false }: OpenCallsOptions = {},
  ) {
    this.guard = guard
    this.server = server
    this.takesUnknown = takesUnknown
    this.mayBeEarlier = mayBeEarlier
  }

  /** Notes the requests and the cancellations among messages that are sent to the server. Keeps at most ten thousand and drops the oldest first. */
  note(messages: readonly JsonObject[]): void {
    noteSent({ guard: this.guard, server: this.server }, messages)
    for (const request of messages) {
      this.cancel(cancelledId(request))
      if (!isRequest(request)) continue
      const decision = decisions.get(request) ?? null
      this.forget(request.id as JsonValue)
      this.open.set(request.id as JsonValue, { request, decision })
      if (this.open.size > mostOpen) this.forget(this.open.keys().next().value as JsonValue)
    }
  }

  // Nothing waits for the answer any more. The request keeps its id and its decision, because the server may have answered already.
  private cancel(id: JsonValue | undefined): void {
    if (id !== undefined && this.open.has(id)) this.cancelled.add(id)
  }

  private forget(id: JsonValue): void {
    this.open.delete(id)
    this.cancelled.delete(id)
  }

  /** Whether a request with this id has no answer yet. */
  has(id: JsonValue): boolean {
    return this.open.has(id)
  }

  /**
   * Gives an answer the id of the open request that it answers under an id of another type. Some servers write a number as a text, or
   * the reverse.
   */
  withOpenId(message: JsonObject): JsonObject
  withOpenId(message: JsonValue): JsonValue
  withOpenId(message: JsonValue): JsonValue {
    if (!isObject(message) || message.method !== undefined || this.open.has(message.id ?? null)) return message
    const { id } = message
    const other =
      typeof id === 'number' ? String(id) : typeof id === 'string' && String(Number(id)) === id && Number(id)
    return other !== false && this.open.has(other) ? { ...message, id: other } : message
  }

  /** Returns the request that a message answers, and removes it. */
  take(answer: JsonObject): OpenCall | null {
    const found = this.open.get(answer.id ?? null) ?? null
    this.forget(answer.id ?? null)
    return found
  }

  /**
   * Whether an answer to a request that is not open may pass. An error without an id may, because a server sends it if it cannot read a
   * message.
   */
  mayPassUnknown(answer: JsonObject): boolean {
    return (answer.id == null && 'error' in answer) || this.takesUnknown(answer)
  }

  /** The ids of the requests that wait for an answer. */
  get ids(): readonly JsonValue[] {
    return [...this.open.keys()].filter((id) => !this.cancelled.has(id))
  }

  /** Whether no request waits for an answer. A subscription is answered when it ends, so it does not count. */
  get isCalm(): boolean {
    return this.ids.every((id) => this.open.get(id)?.request.method === 'subscriptions/listen')
  }

  /** The decisions on the requests that have no answer yet. */
  get decisions(): readonly Decision[] {
    return [...this.open.values()].flatMap(({ decision }) => decision ?? [])
  }

  /** The newest decided call of the agent at this server. A text that answers no request is recorded with it. */
  get newest(): Decision | null {
    return newestCall(this.guard, this.server)
  }
}

/** Notes the decided calls among messages that are sent to a server. Call this when they are sent, because a text about them may come first. */
export function noteSent({ guard, server }: { guard: Guard; server: string }, messages: readonly JsonObject[]): void {
  for (const message of messages) {
    const decision = decisions.get(message)
    if (!decision) continue
    noteNewest(guard, server, decision)
    guard.noteSent(server, decision)
  }
}

/** Returns the newest decided call of a guard's agent at a server. */
export function newestCall(guard: Guard, server: string): Decision | null {
  return newest.get(guard)?.get(server) ?? null
}

function noteNewest(guard: Guard, server: string, decision: Decision): void {
  const byServer = newest.get(guard) ?? new Map<string, Decision>()
  newest.set(guard, byServer)
  byServer.set(server, decision)
}

import type { Readable, Writable } from 'node:stream'
import { checkUntilItHolds, isDecided, type Passage } from '../mediation/check-message.ts'
import { areSettled, type MessageCheck, onwardOf, settle } from '../mediation/check-messages.ts'
import { OpenCalls } from '../mediation/open-calls.ts'
import type { BatchAnswers } from '../messages/batch-answers.ts'
import { Handshakes } from '../messages/handshakes.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { LostText } from '../messages/lost-text.ts'
import {
  cancelledId,
  type Incoming,
  isRequest,
  type Refused,
  readMessage,
  refuseTooLong,
} from '../messages/read-message.ts'
import { idIsOpen, invalidRequest, rpcError } from '../messages/rpc-error.ts'
import { readLines } from './read-lines.ts'
import { writeLine, writeLines } from './write-line.ts'

/**
 * Maximum number of messages that may wait while an earlier message is decided, and their maximum total size in bytes. Above
 * these limits, the edge stops reading from the client.
 */
const maxWaiting = 1000
const maxWaitingBytes = 16 << 20

/** A longer line of a client may have no end. The edge ends then. */
const mostLineBytes = 1 << 30

type Read = Extract<Incoming, { ok: true }>

/**
 * The client side of an edge that relays over standard input and output. Requests are forwarded in order, so a request that
 * waits for its decision delays the requests behind it. Notifications and answers are not delayed. So a cancellation can
 * reach a request that waits.
 */
export class ClientSide {
  /**
   * The unanswered pings and session-opening requests. Their answers may pass while the edge is closed (denies every call of
   * the agent).
   */
  readonly handshakes = new Handshakes()
  /** The unanswered requests, with the decisions that let them pass. */
  readonly openCalls: OpenCalls
  private readonly passage: Passage
  private readonly server: Writable
  private readonly client: Writable
  private readonly batches: BatchAnswers
  private readonly waiting = new Map<JsonValue, AbortController>()
  private queue: Promise<void> = Promise.resolve()
  private queued = 0
  private queuedBytes = 0
  private initialized = false
  private readonly asked = Promise.withResolvers<void>()
  private readonly end = Promise.withResolvers<void>()

  constructor(passage: Passage, server: Writable, client: Writable, batches: BatchAnswers) {
    this.passage = passage
    this.openCalls = new OpenCalls(passage)
    this.batches = batches
    this.server = server
    this.client = client
  }

  /** Whether the client has completed the handshake that opens a session. MCP revisions without sessions have no handshake. */
  get isInitialized(): boolean {
    return this.initialized
  }

  /** Relays messages until the client closes its stream and every message is handled. */
  async relay(stream: Readable, maxBytes: number): Promise<void> {
    for await (const line of readLines(stream, maxBytes, { mostBytes: Math.max(mostLineBytes, maxBytes) })) {
      if (line instanceof LostText) {
        await this.refuse(refuseTooLong(line, maxBytes))
        continue
      }
      if (isBlank(line)) continue
      const incoming = readMessage(line)
      if (!incoming.ok) await this.refuse(incoming)
      else if (incoming.messages.some((message) => this.isOpen(message)))
        await writeLine(this.client, JSON.stringify(idIsOpenFor(incoming)))
      else if (incoming.isBatch || waitsItsTurn(incoming.messages[0] as JsonObject))
        await this.enqueue(incoming, line.length)
      else await this.passAtOnce(incoming.messages[0] as JsonObject)
    }
    this.end.resolve()
    await this.queue
  }

  private async refuse({ answers, replies }: Refused): Promise<void> {
    for (const answer of answers) await writeLine(this.client, JSON.stringify(answer))
    // The server waits for answers to its requests.
    for (const reply of replies) await this.passAtOnce(reply)
  }

  /** Whether the id of a request is that of an earlier request without an answer. The edge could mistake the answers. */
  private isOpen(message: JsonObject): boolean {
    const id = message.id as JsonValue
    return isRequest(message) && (this.waiting.has(id) || this.openCalls.has(id))
  }

  /** Resolves when the client has closed its stream. */
  get hasEnded(): Promise<void> {
    return this.end.promise
  }

  /** Resolves when a request was forwarded to the server. */
  get hasAsked(): Promise<void> {
    return this.asked.promise
  }

  /** Cancels all pending decisions. Returns the ids of the requests that wait for them. They did not reach the server. */
  close(): JsonValue[] {
    const unsent = [...this.waiting].filter(([, { signal }]) => !signal.aborted).map(([id]) => id)
    for (const waiting of this.waiting.values()) waiting.abort()
    return unsent
  }

  private async passAtOnce(message: JsonObject): Promise<void> {
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) {
      const waiting = this.waiting.get(cancelled)
      if (waiting) return waiting.abort()
      await this.answerBatch(this.batches.forget(cancelled))
    }
    const checked = await checkUntilItHolds(this.passage, message)
    if (!checked.passes) return
    if (message.method === 'notifications/initialized') this.initialized = true
    this.openCalls.note([message])
    await writeLine(this.server, JSON.stringify(checked.message ?? message))
  }

  private async enqueue(incoming: Read, bytes: number): Promise<void> {
    const waiting = incoming.messages.map((message) => this.expect(message))
    this.queued++
    this.queuedBytes += bytes
    this.queue = this.queue.then(async () => {
      await this.checkAndForward(incoming, waiting)
      this.queued--
      this.queuedBytes -= bytes
    })
    if (this.queued >= maxWaiting || this.queuedBytes >= maxWaitingBytes) await this.queue
  }

  private expect(message: JsonObject): AbortController {
    const controller = new AbortController()
    if (isRequest(message)) this.waiting.set(message.id as JsonValue, controller)
    return controller
  }

  private async checkAndForward({ messages, isBatch }: Read, waiting: AbortController[]): Promise<void> {
    const checks = messages.map((message, index): MessageCheck => {
      return { message, signal: (waiting[index] as AbortController).signal, result: null }
    })
    do await settle(this.passage, checks)
    while (!areSettled(checks))
    // There must be no await from here until the messages are written, because the rules may change during an await.
    const onward: JsonObject[] = []
    const answers: JsonObject[] = []
    for (const [index, check] of checks.entries()) {
      const { message, signal, result } = check
      if (message.id !== undefined && this.waiting.get(message.id) === waiting[index]) this.waiting.delete(message.id)
      if (signal.aborted) {
        if (result?.passes) result.withdraw?.()
        continue
      }
      if (result?.passes) onward.push(onwardOf(check))
      else if (result?.answer) answers.push(result.answer)
    }
    this.handshakes.note(onward)
    this.openCalls.note(onward)
    if (onward.some(isRequest)) this.asked.resolve()
    // Writes the messages to the server before the answers to the client. Otherwise a client that does not read its answers
    // would delay the messages to the server.
    const written = onward.length > 0 ? writeLines(this.server, onward) : null
    if (isBatch) {
      const asked = onward.filter(isRequest).map(({ id }) => id as JsonValue)
      await this.answerBatch(this.batches.expect(asked, answers))
    } else if (answers.length > 0) await writeLine(this.client, JSON.stringify(answers[0]))
    await written
  }

  private async answerBatch(batch: string | null): Promise<void> {
    if (batch !== null) await writeLine(this.client, batch)
  }
}

// A call without an id needs a decision too.
function waitsItsTurn(message: JsonObject): boolean {
  return isRequest(message) || isDecided(message)
}

function idIsOpenFor({ isBatch, messages }: Read): JsonObject | JsonObject[] {
  const errors = messages.filter(isRequest).map(({ id }) => rpcError(id, invalidRequest, idIsOpen))
  return isBatch ? errors : (errors[0] as JsonObject)
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

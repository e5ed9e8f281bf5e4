import { noNumbers, type WrittenNumbers, writeJson } from '../../json/written-numbers.ts'
import { explainFailure } from '../gateway/answer-failure.ts'
import { type Client, noteOffered } from '../gateway/client.ts'
import type { Passage } from '../mediation/check-message.ts'
import type { OfferedTool } from '../mediation/filter-tools.ts'
import { inspectServerText } from '../mediation/inspect-server-text.ts'
import { OpenCalls } from '../mediation/open-calls.ts'
import { OwnRequests } from '../mediation/own-requests.ts'
import { passServerText } from '../mediation/pass-server-text.ts'
import { closingOf } from '../messages/closed-answer.ts'
import { Handshakes } from '../messages/handshakes.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { LostText } from '../messages/lost-text.ts'
import { isRequest } from '../messages/read-message.ts'
import { RequestTimeouts } from '../messages/request-timeouts.ts'
import { mayHaveTakenEffect, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { describeEnd, logEnd } from '../messages/server-end.ts'
import type { OnUnsent, Release, ServerConnection } from './server-connection.ts'

export interface ChannelOptions {
  readonly client: Client
  readonly passage: Passage
  /** Whether the edge forwards the `Authorization` headers of clients to the tool server. */
  readonly forwardsAuthorization: boolean
  /** How long the server may take to answer a request, in milliseconds. There is no limit if this is absent. */
  readonly timeoutMs?: number | undefined
  connect(onUnsent: OnUnsent): ServerConnection
  /** Called for each message of the server, with its JSON text, and the numbers of the text above 2^53 as they are written. */
  onMessage(message: JsonObject, text: string, numbers: WrittenNumbers): void
  /** Called once, after the last message of the server, with the reason for clients whose requests have no answer. */
  onExit(why: string): void
}

const always = () => true

/** Exchanges messages with a tool server over one connection. Logs and drops texts that are not messages. */
export class ServerChannel {
  private readonly options: ChannelOptions
  private readonly connection: ServerConnection
  private readonly handshakes = new Handshakes()
  private readonly openCalls: OpenCalls
  private readonly own = new OwnRequests()
  private readonly timeouts: RequestTimeouts | null
  private isStopping = false

  constructor(options: ChannelOptions) {
    this.options = options
    this.openCalls = new OpenCalls(options.passage)
    const { timeoutMs } = options
    this.timeouts = timeoutMs === undefined ? null : new RequestTimeouts(timeoutMs, (id) => this.giveUp(id))
    this.connection = options.connect((...unsent) => this.failUnsent(...unsent))
    void this.read()
  }

  /** True if too many bytes wait to be sent to the server. The server can then take no more messages. */
  get isFull(): boolean {
    return this.connection.isFull
  }

  /** Whether a request with this id has no answer yet. */
  isOpen(id: JsonValue): boolean {
    return this.openCalls.has(id)
  }

  /** Sets the `Authorization` header of the client. It is sent with all later messages. */
  authorize(authorization: string | null): void {
    this.connection.authorize?.(authorization)
  }

  /**
   * Sends messages. Calls `release` right before sending, to check that the messages may still be sent. If `release` returns
   * false, sends nothing and returns false. If a request fails after that, the client gets an error as the answer.
   * @throws if the server cannot be reached; then nothing was sent
   */
  send(messages: readonly JsonObject[], release: Release): Promise<boolean> {
    let isNoted = false
    return this.connection.send(messages, (sending) => {
      if (!release(sending)) return false
      if (!isNoted) this.note(messages)
      isNoted = true
      return true
    })
  }

  /** Sends a message without waiting. Drops the message if the server already has too many messages to read. */
  tell(message: JsonObject): void {
    if (this.isFull) return
    this.send([message], always).catch((error) => this.failUnsent(message, error))
  }

  /** Sends a request that the edge itself created. @throws if no answer comes */
  ask(request: JsonObject): Promise<JsonObject> {
    const isOpen = () => closingOf(this.options.passage.guard) === null
    return this.own.ask(request, async (message) => {
      if (!(await this.send([message], isOpen)))
        throw new Error('the edge denies every call of the agent, so it sends no requests of its own')
    })
  }

  private note(messages: readonly JsonObject[]): void {
    this.handshakes.note(messages)
    this.openCalls.note(messages)
    if (this.timeouts) for (const one of messages) this.timeouts.start(one)
  }

  private failUnsent(message: JsonObject, error: Error): void {
    const { message: reason, data } = explainFailure(this.options, error)
    if (isRequest(message)) this.fail(message.id as JsonValue, reason, data)
  }

  /** Answers a request with an error in place of the server. */
  private fail(id: JsonValue, reason: string, data?: JsonObject): void {
    const error = rpcError(id, upstreamFailed, reason, data)
    this.timeouts?.take(error)
    if (!this.own.take(error)) this.options.onMessage(error, JSON.stringify(error), noNumbers)
  }

  /**
   * Answers a request with an error because the server did not answer in time, and cancels the request at the server. If the
   * server answers later, the answer is dropped.
   */
  private giveUp(id: JsonValue): void {
    const { passage } = this.options
    passage.log.warn({ server: passage.server }, 'a tool server took too long to answer')
    this.fail(id, `The tool server took too long to answer. ${mayHaveTakenEffect}`)
    const reason = 'The request took too long'
    this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.connection.stop()
  }

  private async read(): Promise<void> {
    const { client, passage, onExit } = this.options
    const reservation = client.memory.newReservation()
    try {
      for await (const text of this.connection.texts(reservation)) await this.pass(text)
    } catch (error) {
      passage.log.warn(
        { err: error, server: passage.server },
        'the edge could not read the messages of a tool server, so it closed the connection',
      )
      await this.connection.stop(0)
    }
    reservation.resize(0)
    const end = await this.connection.exited
    if (end) logEnd(passage, end, this.isStopping)
    const why = end ? describeEnd(end) : `The tool server stopped before it answered. ${mayHaveTakenEffect}`
    this.timeouts?.close()
    this.own.close(why)
    onExit(why)
  }

  private async pass(sent: string | LostText): Promise<void> {
    const { client, passage, onMessage } = this.options
    const text = sent instanceof LostText ? sent : sent.trim()
    if (text === '') return
    // While this server stops, another server may already use the same name. So the stopping server's tools are not stored.
    const onOffer = (tools: readonly OfferedTool[]) => {
      if (!this.isStopping) noteOffered(client, passage, tools)
    }
    const mayPass = passServerText(text, passage, onOffer, (answer) => this.handshakes.take(answer), this.openCalls)
    const passed = await inspectServerText(mayPass, passage, this.openCalls)
    if (passed === null) return
    const isSingle = passed.text?.startsWith('[') === false && passed.messages.length === 1
    for (const message of passed.messages) {
      this.timeouts?.take(message)
      if (this.own.take(message)) continue
      onMessage(message, isSingle ? (passed.text as string) : writeJson(message, passed.numbers), passed.numbers)
    }
    for (const error of passed.replies) this.tell(error)
  }
}

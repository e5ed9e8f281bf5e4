import type { Writable } from 'node:stream'
import type { Client } from './client.ts'
import type { OfferedTool } from './filter-tools.ts'
import { Handshakes } from './handshakes.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Passage } from './judge-message.ts'
import { logDropped } from './log-dropped.ts'
import { OwnRequests } from './own-requests.ts'
import { passServerText } from './pass-server-text.ts'
import { readLines } from './read-lines.ts'
import { RequestTimeouts } from './request-timeouts.ts'
import { rpcError, upstreamFailed } from './rpc-error.ts'
import { type ServerCommand, type ServerProcess, spawnServer } from './spawn-server.ts'
import { writeLines } from './write-line.ts'

export interface ChannelOptions {
  readonly command: ServerCommand
  readonly client: Client
  readonly passage: Passage
  readonly stderr: Writable
  readonly maxLineBytes: number
  /** What may wait for a server that does not read. */
  readonly maxUnreadBytes: number
  /** Called for each message of the server, with its text. */
  onMessage(message: JsonObject, text: string): void
  /** Called once, after its last message. */
  onExit(): void
}

/** A started tool server, spoken to in messages. What it writes that is no message is logged and dropped. */
export class StdioChannel {
  private readonly options: ChannelOptions
  private readonly process: ServerProcess
  private readonly handshakes = new Handshakes()
  private readonly own = new OwnRequests()
  private readonly timeouts: RequestTimeouts | null
  private isStopping = false

  constructor(options: ChannelOptions) {
    this.options = options
    const { timeoutMs } = options.command
    this.timeouts = timeoutMs === undefined ? null : new RequestTimeouts(timeoutMs, (id) => this.giveUp(id))
    this.process = spawnServer(options.command, options.stderr)
    void this.read()
  }

  /** Whether as much waits for the server to read it as may. */
  get isFull(): boolean {
    return this.process.stdin.writableLength >= this.options.maxUnreadBytes
  }

  /** Sends a message, and those of a batch one a line. */
  send(message: JsonObject | readonly JsonObject[]): Promise<void> {
    const messages = [message].flat()
    this.handshakes.note(messages)
    if (this.timeouts) for (const one of messages) this.timeouts.start(one)
    return writeLines(this.process.stdin, messages)
  }

  /** Sends a request of the edge's own. @throws where no answer comes */
  ask(request: JsonObject): Promise<JsonObject> {
    return this.own.ask(request, (message) => this.send(message))
  }

  /** Answers a request that the server did not answer in time, and cancels it. A later answer belongs to no request. */
  private giveUp(id: JsonValue): void {
    const { passage, onMessage } = this.options
    passage.log.warn({ server: passage.server }, 'a tool server took too long to answer')
    const error = rpcError(id, upstreamFailed, 'The tool server took too long to answer')
    if (!this.own.take(error)) onMessage(error, JSON.stringify(error))
    const reason = 'The request took too long'
    if (!this.isFull)
      void this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
  }

  stop(): Promise<void> {
    this.isStopping = true
    return this.process.stop()
  }

  private async read(): Promise<void> {
    const { client, passage, maxLineBytes, onExit } = this.options
    const hold = client.held.hold()
    try {
      for await (const line of readLines(this.process.stdout, maxLineBytes, hold))
        this.pass(line.toString('utf8').trim())
    } catch (error) {
      passage.log.warn({ err: error, server: passage.server }, 'a tool server was ended')
      await this.process.stop(0)
    }
    hold.resize(0)
    await this.process.exited
    this.timeouts?.close()
    this.own.close()
    onExit()
  }

  private pass(line: string): void {
    const { client, passage, onMessage } = this.options
    if (line === '') return
    // Another server may have its name by now, whose tools they are not.
    const onOffer = (tools: readonly OfferedTool[]) => {
      if (!this.isStopping) client.offered.note(tools)
    }
    const passed = passServerText(line, passage, onOffer, (answer) => this.handshakes.take(answer))
    if (passed === null) {
      logDropped(passage, 'server', 'a line on standard output that is no message')
      return
    }
    const isSingle = !line.startsWith('[')
    for (const message of passed.messages) {
      this.timeouts?.take(message)
      if (this.own.take(message)) continue
      onMessage(message, isSingle && passed.text !== null ? passed.text : JSON.stringify(message))
    }
    for (const error of passed.replies) if (!this.isFull) void this.send(error)
  }
}

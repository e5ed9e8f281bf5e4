import type { Writable } from 'node:stream'
import type { Client } from './client.ts'
import type { OfferedTool } from './filter-tools.ts'
import { Handshakes } from './handshakes.ts'
import type { JsonObject } from './json.ts'
import type { Passage } from './judge-message.ts'
import { logDropped } from './log-dropped.ts'
import { OwnRequests } from './own-requests.ts'
import { passServerText } from './pass-server-text.ts'
import { readLines } from './read-lines.ts'
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

  constructor(options: ChannelOptions) {
    this.options = options
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
    return writeLines(this.process.stdin, messages)
  }

  /** Sends a request of the edge's own. @throws where no answer comes */
  ask(request: JsonObject): Promise<JsonObject> {
    return this.own.ask(request, (message) => this.send(message))
  }

  stop(): Promise<void> {
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
    this.own.close()
    onExit()
  }

  private pass(line: string): void {
    const { client, passage, onMessage } = this.options
    if (line === '') return
    const onOffer = (tools: readonly OfferedTool[]) => client.offered.note(tools)
    const passed = passServerText(line, passage, onOffer, (answer) => this.handshakes.take(answer))
    if (passed === null) {
      logDropped(passage, 'server', 'a line on standard output that is no message')
      return
    }
    const isSingle = !line.startsWith('[')
    for (const message of passed.messages) {
      if (this.own.take(message)) continue
      onMessage(message, isSingle && passed.text !== null ? passed.text : JSON.stringify(message))
    }
    for (const error of passed.replies) if (!this.isFull) void this.send(error)
  }
}

import type { Writable } from 'node:stream'
import type { Client } from './client.ts'
import type { JsonObject } from './json.ts'
import type { Passage } from './judge-message.ts'
import { passServerText } from './pass-server-text.ts'
import { readLines } from './read-lines.ts'
import { isObject } from './read-message.ts'
import { type ServerCommand, type ServerProcess, spawnServer } from './spawn-server.ts'
import { writeLine } from './write-line.ts'

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

  constructor(options: ChannelOptions) {
    this.options = options
    this.process = spawnServer(options.command, options.stderr)
    void this.read()
  }

  /** Whether as much waits for the server to read it as may. */
  get isFull(): boolean {
    return this.process.stdin.writableLength >= this.options.maxUnreadBytes
  }

  /** Sends a message, and those of a batch one by one: the SDK takes one message a line. */
  async send(message: JsonObject | readonly JsonObject[]): Promise<void> {
    const messages = Array.isArray(message) ? message : [message]
    for (const one of messages) await writeLine(this.process.stdin, JSON.stringify(one))
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
    onExit()
  }

  private pass(line: string): void {
    const { client, passage, onMessage } = this.options
    if (line === '') return
    const passed = passServerText(line, passage, (tools) => client.offered.note(tools))
    if (passed === null) {
      passage.log.warn({ server: passage.server }, 'a server wrote to stdout what is no message')
      return
    }
    const isSingle = !line.startsWith('[')
    for (const message of passed.messages) {
      if (isObject(message)) onMessage(message, isSingle ? passed.text : JSON.stringify(message))
    }
  }
}

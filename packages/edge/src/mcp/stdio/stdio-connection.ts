import type { Writable } from 'node:stream'
import type { JsonObject } from '../messages/json.ts'
import type { Release, ServerConnection } from '../sessions/server-connection.ts'
import { readTexts } from './join-lines.ts'
import type { LineMask } from './relay-stderr.ts'
import { type ServerCommand, spawnServer } from './spawn-server.ts'
import { writeLines } from './write-line.ts'

export interface StdioLimits {
  readonly maxLineBytes: number
  /** Maximum number of bytes that may wait for a server that does not read. */
  readonly maxUnreadBytes: number
}

/** Starts a tool server and exchanges messages with it over standard input and output, one message per line. */
export function stdioConnection(
  command: ServerCommand,
  server: string,
  stderr: { to: Writable; mask: LineMask },
  { maxLineBytes, maxUnreadBytes }: StdioLimits,
): ServerConnection {
  const process = spawnServer(command, server, stderr.to, stderr.mask)

  async function send(messages: readonly JsonObject[], release: Release): Promise<boolean> {
    if (!release(messages)) return false
    await writeLines(process.stdin, messages)
    return true
  }

  return {
    get isFull() {
      return process.stdin.writableLength >= maxUnreadBytes
    },
    send,
    texts: (reservation) => readTexts(process.stdout, maxLineBytes, reservation),
    stop: process.stop,
    exited: process.ended,
  }
}

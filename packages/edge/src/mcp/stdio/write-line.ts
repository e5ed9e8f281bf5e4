import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Writes a message as one line. Resolves when the stream accepts more. Writes nothing to a closed stream. */
export async function writeLine(stream: Writable, text: string): Promise<void> {
  // Replaces line breaks, which would split the message into several lines. Unescaped line breaks occur in JSON only between
  // tokens, so a replacement does not change the message.
  await write(stream, `${text.replace(/[\r\n]+/g, ' ')}\n`)
}

/**
 * Writes each message of a batch as one line, because the SDK reads one message per line. Passes all lines to the stream at
 * once. See `writeLine`.
 */
export async function writeLines(stream: Writable, messages: readonly object[]): Promise<void> {
  await write(stream, messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
}

async function write(stream: Writable, lines: string): Promise<void> {
  if (!stream.writable || stream.write(lines)) return
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => {})
  waiting.abort()
}

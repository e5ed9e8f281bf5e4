import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Writes a message as one line; resolves when the stream takes more. To a stream that is gone nothing is written. */
export async function writeLine(stream: Writable, text: string): Promise<void> {
  // A message of several lines would be read as several messages: JSON allows breaks between its tokens only.
  await write(stream, `${text.replace(/[\r\n]+/g, ' ')}\n`)
}

/** Writes each message as one line, since the SDK takes one message a line. All are written at once; see `writeLine`. */
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

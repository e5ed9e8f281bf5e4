import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Writes a message as one line; resolves when the stream takes more. To a stream that is gone nothing is written. */
export async function writeLine(stream: Writable, text: string): Promise<void> {
  if (!stream.writable) return
  // A message of several lines would be read as several messages: JSON allows breaks between its tokens only.
  if (stream.write(`${text.replace(/[\r\n]+/g, ' ')}\n`)) return
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => {})
  waiting.abort()
}

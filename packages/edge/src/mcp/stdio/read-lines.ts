import { GatheredBytes } from '../../gathered-bytes.ts'
import type { Hold } from '../messages/holding.ts'

const newline = 0x0a

/** A line grew beyond what its reader accepts. */
export class LineTooLong extends Error {}

/**
 * The lines of a byte stream, without their newline. Throws `LineTooLong` beyond `maxBytes`, or where `hold` has no room for
 * a line that has not ended yet, and what the stream throws.
 */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number, hold?: Hold): AsyncGenerator<Buffer> {
  const held = new GatheredBytes()
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (held.length + end - start > maxBytes) throw new LineTooLong(`a line of more than ${maxBytes} bytes`)
      const ending = chunk.subarray(start, end)
      if (held.length > 0) {
        held.add(ending)
        yield held.take()
      } else yield ending
      start = end + 1
    }
    if (held.length + chunk.length - start > maxBytes) throw new LineTooLong(`a line of more than ${maxBytes} bytes`)
    if (start < chunk.length) held.add(chunk.subarray(start))
    if (hold?.resize(held.length) === false) throw new LineTooLong('a line that there is no room for')
  }
  if (held.length > 0) yield held.take()
}

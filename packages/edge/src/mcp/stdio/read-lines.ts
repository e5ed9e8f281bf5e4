import { GatheredBytes } from '../../gathered-bytes.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'

const newline = 0x0a

/** Thrown if a line is too long, or if no memory is left for it. */
export class LineTooLong extends Error {}

/**
 * Reads the lines of a byte stream, without their line breaks. `reservation` counts the bytes of an incomplete line.
 * @throws LineTooLong if a line exceeds `maxBytes` or an incomplete line exceeds the limit of `reservation`. Errors of the stream
 * are thrown too.
 */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  reservation?: MemoryReservation,
): AsyncGenerator<Buffer> {
  const held = new GatheredBytes()
  for await (const chunk of chunksOf(stream)) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (held.length + end - start > maxBytes) throw new LineTooLong(`the line has more than ${maxBytes} bytes`)
      const ending = chunk.subarray(start, end)
      if (held.length > 0) {
        held.add(ending)
        yield held.take()
      } else yield ending
      start = end + 1
    }
    if (held.length + chunk.length - start > maxBytes) throw new LineTooLong(`the line has more than ${maxBytes} bytes`)
    if (start < chunk.length) held.add(chunk.subarray(start))
    if (reservation?.resize(held.length) === false)
      throw new LineTooLong('no memory left for the line: the client has reached its memory limit')
  }
  if (held.length > 0) yield held.take()
}

/** Yields the chunks of a stream. A stream that is closed without an end counts as ended. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

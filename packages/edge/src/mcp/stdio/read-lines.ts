import { GatheredBytes } from '../../gathered-bytes.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'

const newline = 0x0a

/** Thrown if a line is too long, or if no memory is left for it. */
export class LineTooLong extends Error {}

/** Maximum number of bytes of a line that is too long, that are kept to read its id. */
const mostKept = 64 << 20

/**
 * Reads the lines of a byte stream, without their line breaks. `reservation` counts the bytes of an incomplete line. A line of more than
 * `maxBytes` goes to `onTooLong`, which gets at most its first 64 MiB, and the lines behind it are read.
 * @throws LineTooLong if there is no `onTooLong` and a line exceeds `maxBytes`, or if an incomplete line exceeds the limit of `reservation`.
 * Errors of the stream are thrown too.
 */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  reservation?: MemoryReservation,
  onTooLong?: (line: Buffer) => Promise<void>,
): AsyncGenerator<Buffer> {
  const held = new GatheredBytes()
  let length = 0
  const hold = (bytes: Buffer) => {
    length += bytes.length
    if (length > maxBytes && !onTooLong) throw new LineTooLong(`the line has more than ${maxBytes} bytes`)
    const room = Math.max(0, Math.max(maxBytes, mostKept) - held.length)
    if (bytes.length > 0 && room > 0) held.add(bytes.subarray(0, room))
  }
  for await (const chunk of chunksOf(stream)) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const ending = chunk.subarray(start, end)
      start = end + 1
      if (length === 0 && ending.length <= maxBytes) {
        yield ending
        continue
      }
      hold(ending)
      const isTooLong = length > maxBytes
      length = 0
      if (isTooLong) await onTooLong?.(held.take())
      else yield held.take()
    }
    hold(chunk.subarray(start))
    if (reservation?.resize(held.length) === false)
      throw new LineTooLong('no memory left for the line: the client has reached its memory limit')
  }
  if (length > maxBytes) await onTooLong?.(held.take())
  else if (held.length > 0) yield held.take()
}

/** Yields the chunks of a stream. A stream that is closed without an end counts as ended. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

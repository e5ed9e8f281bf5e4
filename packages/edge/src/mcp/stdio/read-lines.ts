import { GatheredBytes } from '../../gathered-bytes.ts'
import { LostText, longerThan, noMemoryLeft } from '../messages/lost-text.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'

const newline = 0x0a

/**
 * Reads the lines of a byte stream, without their line breaks. `reservation` counts the bytes of an incomplete line. A line that has more
 * than `maxBytes`, or that exceeds the limit of `reservation`, is read to its end without being kept, and yields a `LostText`.
 * @throws EndlessText for a line that has more than `mostBytes`. Errors of the stream are thrown too.
 */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  { reservation, mostBytes }: { reservation?: Pick<MemoryReservation, 'resize'>; mostBytes?: number } = {},
): AsyncGenerator<Buffer | LostText> {
  const held = new GatheredBytes()
  let lost: LostText | null = null
  const lose = (why: string) => {
    lost = new LostText(why, maxBytes, mostBytes)
    lost.add(held.take())
    return lost
  }
  const hold = (bytes: Buffer) => {
    if (lost === null && held.length + bytes.length > maxBytes) lost = lose(longerThan(maxBytes))
    if (lost) lost.add(bytes)
    else if (bytes.length > 0) held.add(bytes)
  }
  const take = (): Buffer | LostText => {
    const line = lost ?? held.take()
    lost = null
    return line
  }
  for await (const chunk of chunksOf(stream)) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const ending = chunk.subarray(start, end)
      start = end + 1
      if (lost === null && held.length === 0 && ending.length <= maxBytes) {
        yield ending
        continue
      }
      hold(ending)
      yield take()
    }
    hold(chunk.subarray(start))
    if (reservation?.resize(held.length) === false) {
      lost = lose(noMemoryLeft)
      reservation.resize(0)
    }
  }
  if (lost !== null || held.length > 0) yield take()
}

/** Yields the chunks of a stream. A stream that is closed without an end counts as ended. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import { SseBlocks, type SseEvent } from './sse-blocks.ts'

/**
 * Reads the events of an SSE stream. Skips events without data. `reservation` counts the bytes of an incomplete event. An event that is too
 * long has `lost`.
 * @throws if the stream breaks off
 */
export async function* readEvents(
  stream: Readable,
  maxBytes: number,
  reservation: MemoryReservation,
): AsyncGenerator<SseEvent> {
  const events: SseEvent[] = []
  const blocks: SseBlocks = new SseBlocks(
    (event) => {
      if (event.data !== null || event.lost) events.push(event)
      return event.block
    },
    maxBytes,
    () => reservation.resize(blocks.bufferedLength),
  )
  // The loop below gets the errors of the stream, so they need no handling here.
  pipeline(stream, blocks).catch(() => {})
  for await (const _ of blocks) {
    yield* events.splice(0)
  }
}

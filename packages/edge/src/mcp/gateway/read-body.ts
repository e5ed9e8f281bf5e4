import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../../gathered-bytes.ts'
import { outlineBytes } from '../../json/message-outline.ts'
import { LostText, longerThan } from '../messages/lost-text.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'

/**
 * Reads the body of a request. If the body is longer than `maxBytes`, returns the part that was read as a `LostText`. Returns `no_room` if the
 * client has reached its memory limit, which `reservation` checks.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  reservation: MemoryReservation,
): Promise<Buffer | LostText | 'no_room'> {
  const body = new GatheredBytes()
  const lose = (chunk: Buffer): LostText | 'no_room' => {
    const lost = new LostText(longerThan(maxBytes), maxBytes)
    lost.add(body.take())
    lost.add(chunk)
    return reservation.resize(outlineBytes) ? lost : 'no_room'
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return lose(Buffer.alloc(0))
  // By default, leaving the loop early destroys the request and its connection. But the error response must still be sent on
  // this connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes) return lose(chunk)
    if (!reservation.resize(body.length + chunk.length)) return 'no_room'
    body.add(chunk)
  }
  return body.take()
}

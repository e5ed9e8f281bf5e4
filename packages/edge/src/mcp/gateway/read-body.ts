import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../../gathered-bytes.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'

/**
 * Reads the body of a request. Returns `too_long` if the body is longer than `maxBytes`. Returns `no_room` if the client has
 * reached its memory limit, which `reservation` checks.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  reservation: MemoryReservation,
): Promise<Buffer | 'too_long' | 'no_room'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too_long'
  const body = new GatheredBytes()
  // By default, leaving the loop early destroys the request and its connection. But the error response must still be sent on
  // this connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes) return 'too_long'
    if (!reservation.resize(body.length + chunk.length)) return 'no_room'
    body.add(chunk)
  }
  return body.take()
}

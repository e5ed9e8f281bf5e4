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

/** Limits for a body that is refused. */
const mostSkipped = 64 << 20
const longestSkipMs = 5000

/**
 * Reads the rest of a refused body and drops it. Most clients send their whole body before they read the answer, and would see a broken connection
 * instead. Stops reading after 64 MiB or five seconds.
 */
export async function skipBody(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return
  if (Number(request.headers['content-length'] ?? 0) > mostSkipped) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, longestSkipMs)
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > mostSkipped) resolve()
  })
  for (const event of ['end', 'close', 'error']) request.once(event, () => resolve())
  await promise
  clearTimeout(timer)
}

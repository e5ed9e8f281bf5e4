import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../../gathered-bytes.ts'
import type { Hold } from '../messages/holding.ts'

/** Reads the body of a request. Stops if it is longer than `maxBytes` (`too_long`) or `hold` has no room for it (`no_room`). */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  hold: Hold,
): Promise<Buffer | 'too_long' | 'no_room'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too_long'
  const body = new GatheredBytes()
  // The request is not destroyed on an early return, because the refusal is sent on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes) return 'too_long'
    if (!hold.resize(body.length + chunk.length)) return 'no_room'
    body.add(chunk)
  }
  return body.take()
}

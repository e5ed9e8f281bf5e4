import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../gathered-bytes.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import type { MemoryReservation } from '../mcp/messages/memory-budget.ts'
import { RequestRefused } from './caller.ts'

/** Maximum size of a body, if `MANDATE_EDGE_MAX_REQUEST_MB` is not set. */
export const usualMaxBytes = 1 << 20

/**
 * Reads the JSON body of a request. Refuses JSON that parsers could read in different ways. A refused request stays open, so that it can be
 * answered. @throws RequestRefused 415, 413, 400, or 429 if `reservation` has no room for the body
 */
export async function readJson(
  request: IncomingMessage,
  reservation: MemoryReservation,
  maxBytes = usualMaxBytes,
): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new RequestRefused(415, 'the body must be application/json')
  const body = new GatheredBytes()
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes)
      throw new RequestRefused(
        413,
        `the body is over ${maxBytes / (1 << 20)} MiB. MANDATE_EDGE_MAX_REQUEST_MB of the edge sets this limit`,
      )
    if (!reservation.resize(body.length + chunk.length))
      throw new RequestRefused(429, 'the open requests have too many bytes; wait for some to be answered')
    body.add(chunk)
  }
  const text = decode(body.take())
  // Checked before parsing, because the time of the later steps grows with the number of keys and values.
  const ambiguity = nameAmbiguity(text)
  if (ambiguity) throw new RequestRefused(400, ambiguity)
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notJson()
  }
}

function notJson(): RequestRefused {
  return new RequestRefused(400, 'the body is not JSON')
}

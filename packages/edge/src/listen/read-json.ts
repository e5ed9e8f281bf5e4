import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../gathered-bytes.ts'
import { nameAmbiguity } from '../json/name-ambiguity.ts'
import { RequestRefused } from './caller.ts'

const longestBodyBytes = 1_048_576

/** Reads the JSON body of a request. Refuses JSON that parsers could read in different ways. @throws RequestRefused 415, 413 or 400 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new RequestRefused(415, 'the body must be application/json')
  const body = new GatheredBytes()
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > longestBodyBytes) throw new RequestRefused(413, 'the body is over 1 MiB')
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

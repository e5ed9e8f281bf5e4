import type { IncomingMessage } from 'node:http'

/** The body of a request, or null where it is longer than `maxBytes`; it is then not read on. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return null
  const chunks: Buffer[] = []
  let length = 0
  // Not destroyed when left early: the refusal still has to go out on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

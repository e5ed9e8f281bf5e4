import type { IncomingMessage } from 'node:http'

/** Limits for a body that is refused. */
const mostSkipped = 64 << 20
const longestSkipMs = 5000

/**
 * Reads the rest of a refused body and drops it. Most clients send their whole body before they read the answer, and would see a broken connection
 * instead. Stops reading after 64 MiB or five seconds. `onChunk` gets what is dropped.
 */
export async function skipBody(request: IncomingMessage, onChunk: (chunk: Buffer) => void = () => {}): Promise<void> {
  if (request.readableEnded || request.destroyed) return
  if (Number(request.headers['content-length'] ?? 0) > mostSkipped) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, longestSkipMs)
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > mostSkipped) return resolve()
    onChunk(chunk)
  })
  for (const event of ['end', 'close', 'error']) request.once(event, () => resolve())
  await promise
  clearTimeout(timer)
}

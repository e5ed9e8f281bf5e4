import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Taken } from '../middle.ts'

/** How a proxy spoils one response. Resolves when it does nothing more. */
export type ResponseFault = (taken: Taken) => Promise<void>

const stream = { 'content-type': 'text/event-stream; charset=utf-8' }

/** Passes each chunk of a stream at once. */
export const pass: ResponseFault = async ({ response, forward }) => {
  response.writeHead(200, stream)
  for await (const chunk of (await forward()).body ?? []) response.write(chunk)
  response.end()
}

/** Sends nothing, not even headers, as a proxy that buffers. */
export const buffer: ResponseFault = async () => {}

/** Sends the headers, and then nothing. */
export const stall: ResponseFault = async ({ response }) => void response.writeHead(200, stream).flushHeaders()

/** Sends these bytes of a stream, and then nothing. */
export const stopAfter =
  (text: string): ResponseFault =>
  async ({ response }) =>
    void response.writeHead(200, stream).write(text)

/** Sends these bytes, and then breaks the connection. */
export const breakAfter =
  (text: string): ResponseFault =>
  async ({ response }) =>
    void response.writeHead(200, stream).write(text, () => response.destroy())

/** Sends the same text again and again, until the other side closes the connection. `onSent` gets the number of bytes. */
export const repeat =
  (status: number, type: string, text: string, onSent: (bytes: number) => void = () => {}): ResponseFault =>
  async ({ response }) => {
    response.writeHead(status, { 'content-type': type })
    let bytes = 0
    while (!response.destroyed) {
      if (!response.write(text)) await drained(response)
      bytes += text.length
    }
    onSent(bytes)
  }

/** Waits until more can be written, or the connection is closed. */
async function drained(response: ServerResponse): Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => {})
  ended.abort()
}

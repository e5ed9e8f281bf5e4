import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** `status` 0 ends the connection without an answer; `hang` never answers. */
export interface Reply {
  status: number
  body?: unknown
  /** In place of a body of JSON. */
  text?: string
  headers?: Record<string, string>
  hang?: boolean
}

/** A real HTTP server on a free port that answers by a function and remembers what it received. Ends with the test. */
export async function serve(answer: (request: Received, count: number) => Reply | Promise<Reply>) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    received.push(one)
    const { status, body: answered, text, headers, hang } = await answer(one, received.length)
    if (hang) return
    if (status === 0) return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(text ?? (answered === undefined ? undefined : JSON.stringify(answered)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop }
}

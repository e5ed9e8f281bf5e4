import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** `status` 0 closes the connection without a response. `hang` never responds. */
export interface Reply {
  status: number
  body?: unknown
  /** Text to send instead of a JSON body. */
  text?: string
  headers?: Record<string, string>
  hang?: boolean
}

/** Starts an HTTP server on a free port that responds with `answer` and records the requests. It stops at the end of the test. */
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

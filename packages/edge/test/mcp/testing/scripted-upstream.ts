import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a tool server. A test sets its answers, which may be hostile. The server records the requests that it receives. */
export async function startScripted() {
  const received: Received[] = []
  let script: (response: ServerResponse, request: Received) => void = (response, { body }) =>
    answerJson(JSON.stringify({ jsonrpc: '2.0', id: body === '' ? 1 : (JSON.parse(body).id ?? 1), result: {} }))(
      response,
    )
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const taken = { method: request.method ?? '', headers: request.headers, body }
    received.push(taken)
    script(response, taken)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/secret-path?key=1`,
    received,
    /** Sets the function that answers the next requests, and clears the recorded requests. */
    script(next: typeof script) {
      script = next
      received.length = 0
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Scripted = Awaited<ReturnType<typeof startScripted>>

export function answerJson(text: string, status = 200, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

export function answerStream(text: string) {
  return (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
}

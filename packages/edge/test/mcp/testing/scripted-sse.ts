import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that reached the server. */
export interface Taken {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface SseScript {
  /** Answers the GET request. By default opens the event stream and tells the client to post to `/messages?session=<n>`. */
  open?(response: ServerResponse): void
  /** Answers a POST request. By default accepts it, and sends an event whose JSON-RPC answer contains `result()`. */
  take?(taken: Taken, response: ServerResponse, stream: ServerResponse): void
  result?(message: { id: unknown; method: string; params?: Record<string, unknown> }): object
}

/**
 * Starts a tool server with the SSE transport of MCP revision 2024-11-05. A test sets its answers, which may be hostile. The
 * server records the requests that it receives.
 */
export async function startScriptedSse(script: SseScript = {}) {
  const received: Taken[] = []
  const streams: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const taken = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    received.push(taken)
    if (taken.method === 'GET') {
      streams.push(response)
      if (script.open) return script.open(response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(endpointEvent(`/messages?session=${streams.length}`))
    }
    const stream = streams[
      Number(new URL(taken.url, 'http://h').searchParams.get('session') ?? 1) - 1
    ] as ServerResponse
    if (script.take) return script.take(taken, response, stream)
    response.writeHead(202).end('Accepted')
    const message = JSON.parse(body)
    if (message.method === undefined || message.id === undefined) return
    const result = script.result?.(message) ?? (message.method === 'initialize' ? initialized : {})
    stream.write(messageEvent({ jsonrpc: '2.0', id: message.id, result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  /** Returns the JSON-RPC methods of the messages that the client posted. */
  const methods = () => received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).method)
  return { url: `${origin}/sse`, origin, received, streams, methods, stop }
}

export const initialized = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  serverInfo: { name: 'scripted', version: '1' },
}

export function endpointEvent(address: string): string {
  return `event: endpoint\ndata: ${address}\n\n`
}

export function messageEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}

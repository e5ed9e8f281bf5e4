import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  type EventStore,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { everything } from './everything.ts'

/** Serves the conformance server over HTTP: with sessions before revision 2026-07-28, and without sessions from then on. */
export async function startHttp({ closesStreams = false } = {}): Promise<{ url: string; stop(): Promise<void> }> {
  const changes = { tools: () => handler.notify.toolsChanged(), prompts: () => handler.notify.promptsChanged() }
  const handler = createMcpHandler(() => everything('modern', { changes }), { legacy: 'reject' })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function answer(request: Request): Promise<Response> {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (refused) return refused
    const session = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (session) return await session.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response(null, { status: 404 })
    if (!(await isLegacyRequest(request.clone()))) return await handler.fetch(request)
    return await (await openSession()).handleRequest(request)
  }

  async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: keepEvents(),
      retryInterval: 1000,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await everything('legacy', { closesStreams }).connect(transport)
    return transport
  }

  const server = createServer(async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { status, headers, body } = await answer(await requestOf(request, gone.signal))
    response.writeHead(status, Object.fromEntries(headers))
    response.flushHeaders()
    await pipeline(body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]), response).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, stop }
}

async function requestOf(request: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET' } = request
  const body = method === 'POST' ? Buffer.concat(await request.toArray()) : null
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(`http://${request.headers.host}${request.url}`, { method, headers, body, signal })
}

function keepEvents(): EventStore {
  const kept: { id: string; stream: string; message: unknown }[] = []
  return {
    async storeEvent(stream, message) {
      const id = `${stream}_${kept.length}`
      kept.push({ id, stream, message })
      return id
    },
    async getStreamIdForEventId(id) {
      return kept.find((event) => event.id === id)?.stream
    },
    async replayEventsAfter(lastId, { send }) {
      const at = kept.findIndex(({ id }) => id === lastId)
      const stream = kept[at]?.stream ?? ''
      for (const event of kept.slice(at + 1)) {
        const isMessage = Object.keys(event.message as object).length > 0
        if (event.stream === stream && isMessage) await send(event.id, event.message as never)
      }
      return stream
    },
  }
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { statelessTools } from './stateless-tools.ts'

/** Serves the stateless tools over HTTP. */
export async function startStateless() {
  const handler = createMcpHandler(statelessTools)
  const server = createServer(async (request, response) => {
    const url = `http://${request.headers.host}${request.url}`
    const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const headers = request.headers as Record<string, string>
    const answer = await handler.fetch(new Request(url, { method: request.method, headers, body, signal: gone.signal }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.flushHeaders()
    const stream = answer.body ? Readable.fromWeb(answer.body as ReadableStream) : Readable.from([])
    await pipeline(stream, response).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, notify: handler.notify, stop }
}

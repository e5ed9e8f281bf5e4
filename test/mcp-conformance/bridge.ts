import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** Starts a proxy that adds a bearer token, which the suite cannot send. It forwards all other headers unchanged. */
export async function startBridge(target: string, token: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const outgoing = request(target, { method: incoming.method, headers })
    response.once('close', () => outgoing.destroy())
    outgoing.on('error', () => response.destroy())
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      pipeline(answer, response).catch(() => response.destroy())
    })
    await pipeline(incoming, outgoing).catch(() => response.destroy())
  })
  // Keeps connections open longer than the suite reuses them. A closed connection would look like a failure of the edge.
  server.keepAliveTimeout = 65_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, stop }
}

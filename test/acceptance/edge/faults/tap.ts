import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Json } from '../middle.ts'

/** A proxy between an edge and a tool server that records tool calls. */
export interface Tap {
  url: string
  calls: { name: string; arguments: Json }[]
}

/** Starts a proxy in front of the server at `target`. It stops at the end of the test. */
export async function startTap(target: string): Promise<Tap> {
  const tap: Tap = { url: '', calls: [] }
  const server = createServer((incoming, response) => {
    pass(target, tap, incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  tap.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return tap
}

async function pass(target: string, tap: Tap, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray())
  const message = body.length > 0 ? JSON.parse(body.toString()) : null
  if (message?.method === 'tools/call') tap.calls.push(message.params)
  const { method = 'GET', headers } = incoming
  const outgoing = request(target, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  response.once('close', () => outgoing.destroy())
  outgoing.end(body)
}

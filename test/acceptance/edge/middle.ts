import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
export type Json = any

/** A proxy between an edge and the control plane. It simulates network failures and attacks. */
export interface Middle {
  url: string
  /** Received requests, as `METHOD /path`. */
  seen: string[]
  /** If true, forwards no request and closes the connection. */
  cut: boolean
  /** If true, accepts requests and never responds. */
  hang: boolean
  /** Answers a request instead of the control plane. Returns false for a request that passes as usual. */
  take: (taken: Taken) => boolean
  /** Replaces a response. Null closes the connection after the other side has processed the request. */
  tamper: (request: Passing, answer: Answered) => Answered | null | Promise<Answered | null>
}

export interface Passing {
  method: string
  path: string
  body: Json
}

/** A request that a test answers, and what it needs for the answer. */
export interface Taken {
  path: string
  response: ServerResponse
  /** Sends the request to the control plane. Its answer ends when `response` is closed. */
  forward(): Promise<Response>
}

export interface Answered {
  status: number
  body: Json
}

/** Starts a proxy in front of a server. It stops at the end of the test. */
export async function startMiddle(target: string): Promise<Middle> {
  const middle: Middle = {
    url: '',
    seen: [],
    cut: false,
    hang: false,
    take: () => false,
    tamper: (_, answer) => answer,
  }
  const server = createServer((request, response) => {
    if (middle.cut) return void request.socket.destroy()
    if (middle.hang) return
    pass(target, middle, request, response).catch(() => request.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  middle.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return middle
}

async function pass(target: string, middle: Middle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { method = '', url = '' } = request
  middle.seen.push(`${method} ${url}`)
  const headers = Object.fromEntries(
    ['authorization', 'content-type', 'if-none-match'].flatMap((name) => {
      const value = request.headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
  const path = url.replace('/api/v1', '')
  const send = (signal?: AbortSignal) =>
    fetch(`${target}${url}`, { method, headers, signal, ...(text && { body: text }) })
  const forward = () => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    return send(gone.signal)
  }
  if (middle.take({ path, response, forward })) return
  // A test sees this answer even if the sender was killed meanwhile.
  const answer = await send()
  // It buffers responses, so a stream of events never passes.
  const said = await answer.text()
  const passing = { method, path, body: text ? JSON.parse(text) : undefined }
  const given = await middle.tamper(passing, { status: answer.status, body: said ? JSON.parse(said) : undefined })
  if (given === null || middle.cut) return void request.socket.destroy()
  response.writeHead(given.status, { 'content-type': 'application/json' })
  response.end(given.body === undefined ? undefined : JSON.stringify(given.body))
}

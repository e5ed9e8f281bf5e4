import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a proxy in front of a server does wrong. */
export interface ProxyFaults {
  /** `body` passes the headers of event streams alone. `answer` passes nothing of them. */
  held?: 'body' | 'answer'
  /** The proxy wants the header `Authorization` for itself. */
  wantsAuthorization?: boolean
}

export interface OwnProxy {
  url: string
  /** Changes what the proxy does wrong. Event streams end cleanly, as when a server stops. */
  set: (faults: ProxyFaults) => void
  stop: () => Promise<void>
}

const isStream = (url = '') => url.includes('/events/stream')

/** Starts a proxy in front of the server at `target`. */
export async function startProxy(target: () => string): Promise<OwnProxy> {
  let faults: ProxyFaults = {}
  const streams = new Set<ServerResponse>()
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const forwarded = request(new URL(asked.url ?? '/', target()), { method: asked.method, headers: asked.headers })
    forwarded.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      // Without it, the headers would wait for the first bytes.
      answer.flushHeaders()
      if (isStream(asked.url) && faults.held === 'body') return void response.resume()
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  }
  const server = createServer((asked, answer) => {
    if (isStream(asked.url)) {
      streams.add(answer)
      answer.on('close', () => streams.delete(answer))
      if (faults.held === 'answer') return
    }
    if (faults.wantsAuthorization && asked.headers.authorization !== undefined) {
      answer.writeHead(401, { 'content-type': 'text/html' }).end('<h1>401 Authorization Required</h1>')
      return
    }
    pass(asked, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      faults = next
      for (const stream of streams) {
        if (stream.headersSent) stream.end()
        else stream.destroy()
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

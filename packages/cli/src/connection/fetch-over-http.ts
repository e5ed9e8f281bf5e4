import type { Agent, IncomingMessage } from 'node:http'
import { agentFor, bypassesProxies, proxyRefusal } from '@mandate/edge/outgoing/proxies'
import type { PlainRequest, PlainResponse } from '@mandate/sdk/plain-fetch'

const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/** Sends a request as `fetch` does, for the `callFetch` of a client. */
export async function fetchOverHttp(
  url: string,
  { method, headers, body, signal }: PlainRequest,
): Promise<PlainResponse> {
  const refusal = proxyRefusal(new URL(url))
  if (refusal) throw new TypeError('fetch failed', { cause: refusal })
  // The first use of `fetch` takes as long as the start of Node, and an import of node:http loads `fetch` too.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  return await new Promise((resolve, reject) => {
    // Sessions and audit entries show the same program for all requests, also for those that `fetch` sends.
    const program = { 'user-agent': 'node' }
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    // The global agent keeps connections, and uses the proxies.
    const direct = bypassesProxies(new URL(url)) ? { agent: directAgentFor(new URL(url)) } : {}
    const sent = request(url, { method, headers: { ...program, ...headers, ...length }, signal, ...direct })
    const fail = (cause: Error) => reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
    sent.on('error', fail)
    sent.once('response', (message) => {
      if (!redirects.includes(message.statusCode)) return resolve(responseOf(message, signal))
      message.destroy()
      fail(new Error(redirectText(message.headers.location, url)))
    })
    sent.end(body)
  })
}

/** Names the address without its query, which may have a secret. */
function redirectText(location: string | undefined, url: string): string {
  const to = location === undefined ? null : URL.parse(location, url)
  return to ? `it redirects to ${to.origin}${to.pathname}` : 'unexpected redirect'
}

/** By protocol. */
const directAgents = new Map<string, Agent>()

/** An agent that keeps connections and uses no proxy. */
function directAgentFor(url: URL): Agent {
  const agent = directAgents.get(url.protocol) ?? agentFor(url, { keepAlive: true, timeout: 5_000 })
  directAgents.set(url.protocol, agent)
  return agent
}

function responseOf(message: IncomingMessage, signal: AbortSignal | undefined): PlainResponse {
  const { headers, statusCode: status = 0 } = message
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    body: { cancel: async () => void message.destroy() },
    async text() {
      try {
        return new TextDecoder().decode(Buffer.concat(await message.toArray()))
      } catch (cause) {
        signal?.throwIfAborted()
        throw new TypeError('terminated', { cause })
      }
    },
  }
}

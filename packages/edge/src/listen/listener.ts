import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Guard } from '../guard/guard.ts'
import { callerOf, hostNamesOf, RequestRefused, refuseForeign } from './caller.ts'
import { AskedTools, decideRoute } from './decide-route.ts'
import type { LocalTokens } from './local-tokens.ts'
import { readJson } from './read-json.ts'

export interface ListenerParts {
  host: string
  port: number
  hostNames: readonly string[]
  tokens: LocalTokens
  guardFor(agentId: string): Guard
  log: Logger
}

export interface Listener {
  /** Such as `http://127.0.0.1:8089`. */
  url: string
  close(): Promise<void>
}

/** Serves the local callers. Every fault is an answer other than 2xx, which a caller takes for a refusal. */
export async function startListener({
  host,
  port,
  hostNames,
  tokens,
  guardFor,
  log,
}: ListenerParts): Promise<Listener> {
  const names = hostNamesOf(host, hostNames)
  const served = new Map<string, { guard: Guard; asked: AskedTools }>()

  function forAgent(agentId: string) {
    const before = served.get(agentId)
    if (before) return before
    const guard = guardFor(agentId)
    const made = { guard, asked: new AskedTools(guard) }
    served.set(agentId, made)
    return made
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    refuseForeign(request, names)
    const path = (request.url ?? '').split('?')[0]
    if (path === '/healthz') return allowOnly(request, 'GET') ?? { status: 'ok' }
    if (path !== '/edge/v1/decide') throw new RequestRefused(404, 'not found')
    allowOnly(request, 'POST')
    const agentId = callerOf(request, tokens)
    const { guard, asked } = forAgent(agentId)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    return await decideRoute(await readJson(request), agentId, guard, asked, gone.signal)
  }

  const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
    answer(request, response).then(
      (body) => send(response, 200, body),
      (error: unknown) => {
        const known = error instanceof RequestRefused
        if (!known && !response.destroyed) log.error({ reason: (error as Error).message }, 'a decision failed')
        if (known && error.status === 405) response.setHeader('allow', error.message)
        // What is left of a body that was not read must not be taken for the next request.
        if (!request.complete) response.setHeader('connection', 'close')
        send(response, known ? error.status : 503, { error: known ? textOf(error) : 'no decision could be taken' })
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await ended
      for (const { guard } of served.values()) await guard.close()
    },
  }
}

function allowOnly(request: IncomingMessage, method: string): undefined {
  if (request.method !== method) throw new RequestRefused(405, method)
}

function textOf({ status, message }: RequestRefused): string {
  return status === 405 ? 'method not allowed' : message
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

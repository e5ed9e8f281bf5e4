import { randomBytes } from 'node:crypto'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type McpGateway,
  type McpGatewayOptions,
  type ServerConfig,
  startMcpGateway,
} from '../../../src/mcp/gateway.ts'
import { allowAll, type PolicyGuard, policyGuard } from './policy-guard.ts'

export interface GatewayWorld extends McpGateway {
  readonly guard: PolicyGuard
  readonly token: string
  readonly warnings: string[]
  transport(server: string): StreamableHTTPClientTransport
  /** Sends a request unchanged, with the client's token unless `headers` has another one. */
  send(server: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response>
}

/** A gateway with one client. */
export async function startWorld(
  servers: Record<string, ServerConfig>,
  { guard = policyGuard(allowAll), ...options }: Partial<McpGatewayOptions> & { guard?: PolicyGuard } = {},
): Promise<GatewayWorld> {
  const token = newToken()
  const warnings: string[] = []
  const log = { info: () => {}, warn: (_fields: object, message: string) => void warnings.push(message) }
  const gateway = await startMcpGateway({
    port: 0,
    servers,
    log,
    sessionSecret: 'secret of the state folder',
    ...options,
    clients: [{ token, guard }, ...(options.clients ?? [])],
  })
  const urlOf = (server: string) => new URL(`/mcp/${server}`, gateway.url)
  return {
    ...gateway,
    guard,
    token,
    warnings,
    transport: (server) =>
      new StreamableHTTPClientTransport(urlOf(server), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    send: (server, init) =>
      fetch(urlOf(server), {
        redirect: 'manual',
        ...init,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...init.headers,
        },
      }),
  }
}

export function newToken(): string {
  return randomBytes(32).toString('hex')
}

import type { IncomingMessage } from 'node:http'
import { loopbackNames } from '@mandate/contract/words/loopback-names'
import { bearerToken } from '../../request-headers.ts'
import type { Client, Clients } from './client.ts'

/** The clients, host names and web origins that may call the gateway. */
export interface AccessList {
  readonly clients: Clients
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

/**
 * `authorization` is the `Authorization` header to forward to the tool server. It is null if the header contains an edge token,
 * because the tool server must not get that token.
 */
export type AccessResult =
  | { ok: true; client: Client; authorization: string | null }
  | { ok: false; status: 401 | 403; error: string }

/**
 * Maximum number of words in a forwarded `Authorization` header. The edge checks for each word that it is not an edge token.
 */
const mostWords = 100

export function newAccessList(clients: Clients, hosts: readonly string[], origins: readonly string[]): AccessList {
  return {
    clients,
    hosts: new Set([...loopbackNames, ...hosts].map(asInHeader)),
    origins: new Set(origins),
  }
}

/**
 * Identifies a client by its token in `Mandate-Edge-Token` or, without that header, in `Authorization`. Refuses unknown host
 * names, because a web page can make its own host name resolve to the gateway. Refuses web origins that are not configured.
 */
export function checkAccess(accessList: AccessList, request: IncomingMessage): AccessResult {
  const { clients, origins } = accessList
  const { authorization = null, 'mandate-edge-token': own, origin } = request.headers
  if (!isHostOurs(accessList, request)) return { ok: false, status: 403, error: 'This host is not served here' }
  if (origin !== undefined && !origins.has(origin) && !isLoopbackOrigin(origin)) {
    return { ok: false, status: 403, error: 'This origin may not call' }
  }
  const token = own ?? bearerToken(request.headers.authorization)
  const client = token === undefined ? undefined : clients.byToken(String(token))
  if (!client) return { ok: false, status: 401, error: 'A client token is needed' }
  const isForServer = own !== undefined && authorization !== null && !holdsToken(clients, authorization)
  return { ok: true, client, authorization: isForServer ? authorization : null }
}

/**
 * True if the header contains an edge token, which no tool server may get. To be safe, also true if the header has too many
 * words to check.
 */
function holdsToken(clients: Clients, authorization: string): boolean {
  const words = authorization.split(/[\s,="]+/)
  return words.length > mostWords || words.some((word) => clients.byToken(word))
}

/** Whether the `Host` header of a request contains a configured name or the address that the client connected to. */
export function isHostOurs({ hosts }: AccessList, { headers, socket }: IncomingMessage): boolean {
  const host = withoutPort(headers.host ?? '')
  return hosts.has(host) || host === addressOf(socket.localAddress)
}

/**
 * True if the origin is a loopback address. Pages of such an origin may call the gateway, because they still need a client
 * token, as any other program on this machine does.
 */
function isLoopbackOrigin(origin: string): boolean {
  return (
    URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && loopbackNames.has(new URL(origin).hostname)
  )
}

/**
 * Returns the IP address that the client connected to. An IP address is safe as a host name, because DNS cannot make it point
 * to another machine.
 */
function addressOf(address = ''): string {
  return asInHeader(address.replace(/^::ffff:(?=\d+\.)/, ''))
}

/** Returns a host name or an IP address in the form of a `Host` header: in lower case, with brackets around an IPv6 address. */
function asInHeader(host: string): string {
  return (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase()
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

import type { IncomingMessage } from 'node:http'
import { loopbackNames } from '@mandate/contract/words/loopback-names'
import { bearerToken } from '../request-headers.ts'
import type { LocalTokens } from './local-tokens.ts'

/** Thrown to refuse a request with this HTTP status. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The names of this listener that a `Host` header may contain. */
export function hostNamesOf(host: string, more: readonly string[]): ReadonlySet<string> {
  const own = host.includes(':') ? `[${host}]` : host
  return new Set([...loopbackNames, own, ...more].map((name) => name.toLowerCase()))
}

/**
 * Refuses requests that a web page may have sent. These are requests with an `Origin` header, and requests under a host name
 * that is not a name of this listener. The host name is checked because a web page can make its own host name resolve to this
 * address. @throws RequestRefused 403
 */
export function refuseForeign({ headers }: IncomingMessage, names: ReadonlySet<string>): void {
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  if (!names.has(name)) throw new RequestRefused(403, 'the Host header does not name this edge')
  if (headers.origin !== undefined) throw new RequestRefused(403, 'requests of web pages are not served')
}

/** Returns the agent that the caller's token belongs to. @throws RequestRefused 401 */
export function callerOf({ headers }: IncomingMessage, tokens: LocalTokens): string {
  const token = bearerToken(headers.authorization)
  const agentId = token === undefined ? null : tokens.agentOf(token)
  if (agentId === null) throw new RequestRefused(401, 'the local token is missing or wrong')
  return agentId
}

import type { IncomingMessage } from 'node:http'
import { bearerToken, loopbackNames } from '../request-headers.ts'
import type { LocalTokens } from './local-tokens.ts'

/** An answer that refuses a request. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Names of this listener, as a `Host` header may have them. */
export function hostNamesOf(host: string, more: readonly string[]): ReadonlySet<string> {
  const own = host.includes(':') ? `[${host}]` : host
  return new Set([...loopbackNames, own, ...more].map((name) => name.toLowerCase()))
}

/**
 * Refuses what a web page may have sent: a request under a name that is not this listener's, as a page whose name was made
 * to point here sends it, and one from another origin. @throws RequestRefused 403
 */
export function refuseForeign({ headers }: IncomingMessage, names: ReadonlySet<string>): void {
  const name = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  if (!names.has(name)) throw new RequestRefused(403, 'the Host header does not name this edge')
  if (headers.origin !== undefined) throw new RequestRefused(403, 'requests of web pages are not served')
}

/** Which agent the caller is. @throws RequestRefused 401 */
export function callerOf({ headers }: IncomingMessage, tokens: LocalTokens): string {
  const token = bearerToken(headers.authorization)
  const agentId = token === undefined ? null : tokens.agentOf(token)
  if (agentId === null) throw new RequestRefused(401, 'the local token is missing or wrong')
  return agentId
}

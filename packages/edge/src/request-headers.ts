import type { IncomingHttpHeaders } from 'node:http'

/** Returns the bearer token of an `Authorization` header, or undefined if the header has no bearer token. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1]
}

/** Returns the delegation of a request, or undefined if it has none. Several headers give a text that is no token, so that the call is denied. */
export function delegationHeader(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['mandate-delegation']
  return Array.isArray(given) ? given.join() : given
}

import type { IncomingMessage } from 'node:http'
import { mayHaveTakenEffect } from '../messages/rpc-error.ts'
import { answerKind } from './answer-kind.ts'
import type { MayShow } from './may-show.ts'
import { type Challenge, readChallenge } from './read-challenge.ts'

/** Thrown if the answer of a tool server is not forwarded. The message is for the client. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused'
  /** The HTTP status that the client gets. */
  readonly status: number

  constructor(reason: string, status = 502, options?: ErrorOptions) {
    super(reason, options)
    this.status = status
  }
}

/** Thrown if the tool server exceeded its time limit. */
export class TooSlow extends ServerRefused {
  constructor() {
    super('The tool server took too long to answer', 504)
  }
}

/** Thrown if the tool server may have acted on a request that it did not answer. The message says so. */
export class EffectUnknown extends ServerRefused {
  constructor(reason: string, status?: number, options?: ErrorOptions) {
    super(`${reason}. ${mayHaveTakenEffect}`, status, options)
  }
}

/** Thrown if a tool server asks for authorization: it answered 401, or 403 with a challenge. */
export class AuthorizationNeeded extends ServerRefused {
  readonly serverStatus: 401 | 403
  readonly challenge: Challenge | null

  constructor(serverStatus: 401 | 403, challenge: Challenge | null) {
    super('The tool server asks for authorization')
    this.serverStatus = serverStatus
    this.challenge = challenge
  }
}

/** Maximum length of a segment in an address that the client sees. A longer segment may be a secret, because some addresses contain one. */
const longestSegment = 15
/** Maximum length of such an address, without query and fragment. */
const longestLocation = 300

/**
 * Thrown if a tool server redirects. `location` is for the log. The message has the address without its query and without long segments. Neither has
 * an address that must not be shown.
 */
export class Redirected extends ServerRefused {
  readonly location: string | null

  constructor(location: string | null, isShown: boolean) {
    const to = location === null ? 'without naming a valid address' : 'to an address that rules for its text withhold'
    super(
      `The tool server redirects ${location !== null && isShown ? `to ${withoutLongSegments(location)}` : to}, and the edge does not follow redirects: set the url of the server in the edge's servers file to the address that answers`,
    )
    this.location = isShown ? location : null
  }
}

/** Returns where a redirect leads, without query, fragment and credentials. Null if the header is not an address. */
function readLocation(header = ''): string | null {
  const base = 'http://redirect.invalid'
  if (header === '' || !URL.canParse(header, base)) return null
  const { protocol, host, pathname } = new URL(header, base)
  if (!/^https?:$/.test(protocol)) return null
  const location = host === new URL(base).host ? pathname : `${protocol}//${host}${pathname}`
  return location.length > longestLocation ? null : location
}

function withoutLongSegments(location: string): string {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]*)?(.*)$/s.exec(location) ?? []
  return origin + path.replace(/[^/]+/g, (segment) => (segment.length > longestSegment ? '…' : segment))
}

/**
 * Returns why an answer is not forwarded, if its status is the reason: the server asks for authorization, redirects, or refuses the edge's credential
 * for a proxy. Returns null for any other status. Texts of the server for which `mayShow` is false are left out of the reason.
 */
export function statusRefusalOf(
  { statusCode = 502, headers }: IncomingMessage,
  mayShow: MayShow,
): ServerRefused | null {
  const challenge = readChallenge(headers['www-authenticate'], mayShow)
  if (statusCode === 401 || (statusCode === 403 && challenge)) return new AuthorizationNeeded(statusCode, challenge)
  // A redirect is not forwarded. A client that follows it would bypass the edge.
  if (statusCode >= 300 && statusCode < 400) {
    const location = readLocation(headers.location)
    return new Redirected(location, location === null || mayShow(location))
  }
  return statusCode === 407 ? new ServerRefused("The tool server refused the edge's credential") : null
}

/** Returns why the answer of a tool server is not forwarded, because of its status or its headers. Returns null if it is forwarded. */
export function refusalOf(answer: IncomingMessage, mayShow: MayShow): ServerRefused | null {
  const refusal = statusRefusalOf(answer, mayShow)
  if (refusal) return refusal
  const { headers } = answer
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return new EffectUnknown('The tool server sent an encoded answer, although the edge does not accept encodings')
  if (answerKind(headers['content-type']) === null)
    return new EffectUnknown('The tool server gave an answer of a content type that clients read differently')
  return null
}

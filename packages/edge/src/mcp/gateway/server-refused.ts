import type { IncomingMessage } from 'node:http'
import { answerKind } from './answer-kind.ts'
import { type Challenge, readChallenge } from './read-challenge.ts'

/** The answer of a tool server is not passed on. The message is for the client. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused'
  /** The HTTP status for the client. */
  readonly status: number

  constructor(reason: string, status = 502) {
    super(reason)
    this.status = status
  }
}

/** The tool server exceeded its time limit. */
export class TooSlow extends ServerRefused {
  constructor() {
    super('The tool server took too long to answer', 504)
  }
}

/** A tool server asks for authorization: it answered 401, or 403 with a challenge. */
export class AuthorizationNeeded extends ServerRefused {
  readonly serverStatus: 401 | 403
  readonly challenge: Challenge | null

  constructor(serverStatus: 401 | 403, challenge: Challenge | null) {
    super('The tool server asks for authorization')
    this.serverStatus = serverStatus
    this.challenge = challenge
  }
}

/** Why an answer of a tool server is not passed on. Null if it is passed on. */
export function refusalOf({ statusCode = 502, headers }: IncomingMessage): ServerRefused | null {
  const challenge = readChallenge(headers['www-authenticate'])
  if (statusCode === 401 || (statusCode === 403 && challenge)) return new AuthorizationNeeded(statusCode, challenge)
  // A client that follows a redirect would bypass the edge.
  if (statusCode >= 300 && statusCode < 400)
    return new ServerRefused('The tool server redirects, and the edge does not follow redirects')
  if (statusCode === 407) return new ServerRefused("The tool server refused the edge's credential")
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return new ServerRefused('The tool server sent an encoded answer, although the edge does not accept encodings')
  if (answerKind(headers['content-type']) === null)
    return new ServerRefused('The tool server gave an answer of a content type that clients read differently')
  return null
}

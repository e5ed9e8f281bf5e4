import type { IncomingMessage } from 'node:http'

/** Why the answer of a tool server does not go on to the client, in words for the client. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused'
  /** The HTTP status for the client. */
  readonly status: number

  constructor(reason: string, status = 502) {
    super(reason)
    this.status = status
  }
}

/** A tool server took longer than it may. */
export class TooSlow extends ServerRefused {
  constructor() {
    super('The tool server took too long to answer', 504)
  }
}

/** Why a tool server's answer is not sent on; null where it is. */
export function refusalOf({ statusCode = 502, headers }: IncomingMessage): ServerRefused | null {
  // Followed by the client, a redirect would lead past the edge; a challenge would ask for the edge's own credential.
  if (statusCode >= 300 && statusCode < 400)
    return new ServerRefused('The tool server redirects, which is not followed')
  if (statusCode === 401 || statusCode === 407)
    return new ServerRefused("The tool server refused the edge's credential")
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return new ServerRefused('The tool server encoded an answer it was asked not to')
  return null
}

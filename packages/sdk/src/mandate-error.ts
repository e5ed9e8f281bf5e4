import type { PlainResponse } from './plain-fetch.ts'
import { retryAfterMs } from './retry.ts'

/** Error codes of the client itself, for calls without a usable response. */
export type TransportCode = 'unreachable' | 'timeout' | 'unreadable'

interface Told {
  status: number
  code?: string | undefined
  requestId?: string | undefined
  body?: unknown
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** The error of a failed call. Only an aborted call throws another value, the signal's reason. */
export class MandateError extends Error {
  override readonly name = 'MandateError'
  /** HTTP status; 0 if no response arrived. */
  readonly status: number
  /** The API's error code, such as `plan_upgrade_required`, or a `TransportCode`. Undefined if the API gave no code. */
  readonly code: string | undefined
  /** Id of the request in the service's log and in the audit trail. */
  readonly requestId: string | undefined
  /** The parsed response body. Errors with a code may have further fields. */
  readonly body: unknown
  /** After a 429 or a 503: how long to wait before the next attempt, in ms. Undefined if the service does not say. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status, code, requestId, body, retryAfterMs, cause }: Told) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

/** True if the service refused the credential, or the session has ended. False for a 401 of a proxy in front of the service. */
export const isUnauthorized = (error: unknown): error is MandateError =>
  error instanceof MandateError && error.status === 401 && error.code !== 'unreadable'

/** Converts an error response to a MandateError. Reads the response body. */
export async function errorOf(response: PlainResponse): Promise<MandateError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const body = parsed(text)
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown; code?: unknown }
  // The service says why it refuses. A proxy that wants `Authorization` for itself sends a page.
  const isOfProxy = status === 401 && typeof error !== 'string'
  const usual = isOfProxy
    ? 'a proxy in front of Mandate refused the request (status 401); it must pass the header Authorization on'
    : `the service responded with status ${status}`
  return new MandateError(typeof error === 'string' ? error : usual, {
    status,
    code: isOfProxy ? 'unreadable' : typeof code === 'string' ? code : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    body,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: most likely the error page of a proxy.
    return text
  }
}

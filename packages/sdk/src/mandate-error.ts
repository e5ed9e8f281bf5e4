/** What went wrong, beside the status: the service's own code, or one of ours where it gave no answer. */
export type TransportCode = 'unreachable' | 'timeout' | 'unreadable'

interface Told {
  status: number
  code?: string | undefined
  requestId?: string | undefined
  body?: unknown
  cause?: unknown
}

/** The only error a call throws, but for a caller's own abort, which throws the signal's reason. */
export class MandateError extends Error {
  override readonly name = 'MandateError'
  /** HTTP status; 0 where no answer came. */
  readonly status: number
  /** Such as `plan_upgrade_required`, or a `TransportCode`; undefined for an uncoded refusal. */
  readonly code: string | undefined
  /** Names the request in the service's log and in the audit trail. */
  readonly requestId: string | undefined
  /** The answer's body, parsed: coded refusals carry further fields. */
  readonly body: unknown

  constructor(message: string, { status, code, requestId, body, cause }: Told) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.body = body
  }
}

/** The error that a refusing answer stands for. Reads its body. */
export async function errorOf(response: Response): Promise<MandateError> {
  const text = await response.text().catch(() => '')
  const body = parsed(text)
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown; code?: unknown }
  return new MandateError(typeof error === 'string' ? error : `the service answered ${response.status}`, {
    status: response.status,
    code: typeof code === 'string' ? code : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    body,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy's page, most likely.
    return text
  }
}

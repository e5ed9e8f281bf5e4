import { codedErrors, type ErrorCode } from '@mandate/contract/words/errors'

export interface RefusalOptions {
  /** Machine-readable error code in the response body. With `numeric`, the code is the HTTP status. */
  code?: ErrorCode | 'numeric'
  /** Additional top-level fields of the response body. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  /** A page for people, sent in place of the JSON body. `headers` must contain its content type. */
  page?: string | undefined
}

/** An error that is converted to a response. Any other error that is thrown becomes 500, without its message. */
export class Refusal extends Error {
  readonly status: number
  readonly code: ErrorCode | 'numeric' | undefined
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string> | undefined
  readonly page: string | undefined

  constructor(status: number, text: string, { code, extra = {}, headers, page }: RefusalOptions = {}) {
    super(text)
    this.status = status
    this.code = code
    this.extra = extra
    this.headers = headers
    this.page = page
  }
}

/** Throws the refusal that a rule returned, if there is one. */
export function throwIfRefused(refusal: Refusal | undefined): void {
  if (refusal) throw refusal
}

/** Creates a refusal from its code. The contract defines the status and the text of each code. */
export function coded(code: ErrorCode, options: { text?: string; extra?: Record<string, unknown> } = {}): Refusal {
  const { status, text } = codedErrors[code]
  return new Refusal(status, options.text ?? text, { code, extra: options.extra ?? {} })
}

export const invalid = (text: string) => new Refusal(400, text)
export const forbidden = (text: string) => new Refusal(403, text)
export const conflict = (text: string) => new Refusal(409, text)
/**
 * The response is the same for an unknown id, for a row of another tenant, and for a row that the caller cannot see.
 */
export const notFound = (what: string) => new Refusal(404, `${what} not found`)
/** The response is the same for an unknown, a revoked and an expired key. */
export const invalidKey = () => new Refusal(401, 'invalid API key', { code: 'numeric' })

/** Returns a 429 with `Retry-After` in seconds. */
export function tooMany(text: string, retryAfterSeconds: number): Refusal {
  return new Refusal(429, text, { code: 'numeric', headers: { 'retry-after': String(retryAfterSeconds) } })
}

/** Returns a 402 that names the plan which includes the feature. */
export function planRequired(minimumPlan: string, currentPlan: string): Refusal {
  return coded('plan_upgrade_required', { extra: { minimum_plan: minimumPlan, current_plan: currentPlan } })
}

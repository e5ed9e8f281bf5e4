export interface RetryOptions {
  /** Further attempts after the first. */
  retries: number
  /** The wait before attempt n is random, up to this × 2ⁿ … */
  backoffMs: number
  /** … and never more than this. */
  maxBackoffMs: number
  /** A `Retry-After` that asks for longer is not waited for. */
  maxRetryAfterMs: number
}

export const defaultRetry: RetryOptions = {
  retries: 3,
  backoffMs: 250,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
}

/** How an attempt failed: an answer's status, or 0 where none came. */
export interface FailedAttempt {
  status: number
  /** 0 for the first. */
  attempt: number
  /** The answer's `Retry-After`. */
  retryAfter?: string | null
  /** The request may be made twice without harm. */
  repeatable: boolean
}

/**
 * Milliseconds to wait before the next attempt, or undefined where there shall be none. A 429 was turned away before
 * anything was done, so any request is made again; after a 503 or no answer nobody knows, so only a repeatable one is.
 * @param random from 0 up to 1
 */
export function retryDelay(
  { status, attempt, retryAfter, repeatable }: FailedAttempt,
  { retries, backoffMs, maxBackoffMs, maxRetryAfterMs }: RetryOptions,
  random: number,
  now: number,
): number | undefined {
  if (attempt >= retries) return undefined
  if (status !== 429 && !(repeatable && (status === 503 || status === 0))) return undefined
  const backoff = random * Math.min(backoffMs * 2 ** attempt, maxBackoffMs)
  const asked = retryAfterMs(retryAfter, now)
  if (asked === undefined) return backoff
  // Jitter on top: those who were turned away together shall not come back together.
  return asked > maxRetryAfterMs ? undefined : asked + backoff
}

/** `Retry-After` in either of its forms, seconds or a date. */
function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0)
}

export interface RetryOptions {
  /** Maximum number of retries after the first attempt. */
  retries: number
  /** The random wait before retry n (counted from 0) is at most `backoffMs` × 2ⁿ. */
  backoffMs: number
  /** Upper limit of the random wait. */
  maxBackoffMs: number
  /** If `Retry-After` is longer than this, the call is not retried. */
  maxRetryAfterMs: number
}

export const defaultRetry: RetryOptions = {
  retries: 3,
  backoffMs: 250,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
}

/** A failed attempt. `status` is 0 if no response arrived. */
export interface FailedAttempt {
  status: number
  /** 0 for the first attempt. */
  attempt: number
  /** The response's `Retry-After` header. */
  retryAfter?: string | null
  /** Whether the request may safely be applied twice. */
  repeatable: boolean
}

/**
 * Returns how many milliseconds to wait before a retry, or undefined for no retry. After a 429, any request is retried, because
 * the service has not processed it. After a 503 or no response, only a repeatable request is retried, because the service may
 * have processed it.
 * @param random a number from 0 to 1
 * @param now Unix time in ms
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
  // Adds jitter, so that clients that were rejected at the same time do not retry at the same time.
  return asked > maxRetryAfterMs ? undefined : asked + backoff
}

/** Parses `Retry-After`, which is a number of seconds or a date. Returns milliseconds. `now` is Unix time in ms. */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0)
}

import { PoolBusy, SearchFailed } from '@mandate/content/pool/pool-errors'
import { Refusal, tooMany } from '../../refusal.ts'

const retryAfterSeconds = 2

/** Returns the response to an error of the content pool: 429 if it is busy, and 503 if a search failed. Other errors stay as they are. */
export function poolRefusal(error: unknown): unknown {
  if (error instanceof PoolBusy)
    return tooMany('too many texts wait for their inspection; try again', retryAfterSeconds)
  if (!(error instanceof SearchFailed)) return error
  return new Refusal(503, 'the text cannot be inspected now; try again', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

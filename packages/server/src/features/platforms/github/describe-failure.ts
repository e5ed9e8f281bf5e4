import { UnsafeAddress } from '@mandate/edge/outgoing/guarded-lookup'
import { RequestError } from '@octokit/request-error'
import { z } from 'zod'

/** Thrown if a synchronization fails. Users of the tenant see the message. */
export class SyncFailure extends Error {}

/** Describes a failure without any text that the server sent, because it might contain the secret or an internal page. */
export function describeFailure(error: unknown): SyncFailure {
  if (error instanceof SyncFailure) return error
  if (error instanceof z.ZodError) return new SyncFailure('GitHub returned an invalid list of installations')
  const causes = causesOf(error)
  if (causes.some((cause) => cause instanceof UnsafeAddress)) {
    return new SyncFailure('the address of GitHub is private, loopback or link-local, which is not allowed')
  }
  if (causes.some((cause) => cause instanceof Error && ['TimeoutError', 'AbortError'].includes(cause.name))) {
    return new SyncFailure('GitHub did not answer in time')
  }
  if (error instanceof RequestError && error.response) return describeAnswer(error.response)
  return new SyncFailure('GitHub could not be reached')
}

function describeAnswer({ status, headers }: NonNullable<RequestError['response']>): SyncFailure {
  const isLimit = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined
  if (status === 429 || (status === 403 && isLimit)) return new SyncFailure(rateLimitText(headers['x-ratelimit-reset']))
  if (status === 401)
    return new SyncFailure('GitHub rejected the auth secret (401); connect the platform again with a valid token')
  if (status === 403)
    return new SyncFailure(
      'the auth secret may not list the installations of the organization (403); give it the permission Administration (read)',
    )
  if (status === 404)
    return new SyncFailure('the organization does not exist on GitHub, or the auth secret has no access to it (404)')
  if (status >= 500) return new SyncFailure(`GitHub could not list the installations (${status}); try again later`)
  return new SyncFailure(`GitHub returned an unexpected status (${status})`)
}

function rateLimitText(reset: unknown): string {
  const seconds = typeof reset === 'string' && /^\d{1,11}$/.test(reset) ? Number(reset) : undefined
  const until = seconds === undefined ? '' : ` until ${new Date(seconds * 1000).toISOString()}`
  return `the rate limit of GitHub is used up${until}`
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let each = error; each instanceof Error && causes.length < 5; each = each.cause) causes.push(each)
  return causes
}

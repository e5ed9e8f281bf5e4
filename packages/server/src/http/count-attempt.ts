import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { clientNetwork } from './client-network.ts'
import { htmlType } from './html.ts'
import type { Attempts, Route } from './route.ts'

/** For public endpoints that name no limit of their own. A client may be an office full of people. */
const byDefault: Attempts = { name: 'public', limit: 600, windowSeconds: 60 }

/**
 * Counts a call of a public endpoint for the caller's network. Runs before the body is read, so that a client over its limit costs
 * next to nothing. @throws 429 with `Retry-After`
 */
export async function countAttempt({ config, rateLimits }: Services, route: Route, ip: string): Promise<void> {
  if (!config.authThrottle) return
  const { attempts = byDefault, tooManyPage } = route.options
  if (attempts === 'unlimited') return
  const { name, limit, windowSeconds } = attempts
  const state = await rateLimits.take({ name: `${name}:client`, limit, windowSeconds }, clientNetwork(ip))
  if (state.allowed) return
  const retryAfter = String(state.resetSeconds)
  const page = tooManyPage?.(retryAfter)
  const headers = { 'retry-after': retryAfter, ...(page && { 'content-type': htmlType, ...page.headers }) }
  throw new Refusal(429, 'too many attempts; try again later', { code: 'numeric', headers, page: page?.html })
}

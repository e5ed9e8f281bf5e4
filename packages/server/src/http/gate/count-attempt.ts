import { Refusal } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import { htmlType } from '../answers/html.ts'
import { clientNetwork } from '../connections/client-network.ts'
import type { Attempts, Route } from '../routes/route.ts'

/**
 * The limit for public endpoints that do not set one. It is high, because many people in one office may share a client network.
 */
const byDefault: Attempts = { name: 'public', limit: 600, windowSeconds: 60 }

/**
 * Counts a call of a public endpoint for the client's network. Runs before the body is read, so refusing a client costs almost
 * nothing. Throws 429 with `Retry-After` if the network is over its limit.
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

import type { Ctx } from '../../http/ctx.ts'
import { GateRefusal } from '../../http/errors.ts'
import type { Attempts } from '../../http/route.ts'

const minute = 60
const hour = 60 * minute

/** Attempts per client, which may be an office full of people. Counted before the body is read (`http/count-attempt.ts`). */
export const clientAttempts = {
  signIn: { name: 'sign-in', limit: 100, windowSeconds: 5 * minute },
  register: { name: 'register', limit: 20, windowSeconds: hour },
  forgot: { name: 'forgot', limit: 30, windowSeconds: hour },
  accept: { name: 'accept', limit: 60, windowSeconds: hour },
  reset: { name: 'reset', limit: 60, windowSeconds: hour },
  // A browser refreshes its session four times an hour.
  refresh: { name: 'refresh', limit: 600, windowSeconds: 5 * minute },
  exchange: { name: 'exchange', limit: 100, windowSeconds: 5 * minute },
  startFederated: { name: 'federated-start', limit: 100, windowSeconds: 5 * minute },
  finishFederated: { name: 'federated-finish', limit: 100, windowSeconds: 5 * minute },
} as const satisfies Record<string, Attempts>

/** Attempts per address. */
const addressLimits = {
  'sign-in': { limit: 10, windowSeconds: 5 * minute },
  register: { limit: 5, windowSeconds: hour },
  forgot: { limit: 5, windowSeconds: hour },
  accept: { limit: 10, windowSeconds: hour },
} as const

export type ThrottledAction = keyof typeof addressLimits

/** Counts an attempt on an address, whether it is known or not. Throws 429. */
export async function throttleAddress(
  { services }: Ctx | Ctx<null>,
  action: ThrottledAction,
  email: string,
): Promise<void> {
  if (!services.config.authThrottle) return
  const rule = { name: `${action}:address`, ...addressLimits[action] }
  const state = await services.rateLimits.take(rule, email.trim().toLowerCase())
  if (state.allowed) return
  throw new GateRefusal(429, 'too many attempts; try again later', true, { 'retry-after': String(state.resetSeconds) })
}

import type { Ctx } from '../../../caller/ctx.ts'
import type { Attempts } from '../../../http/route.ts'
import { tooMany } from '../../../refusal.ts'

export interface Limit {
  limit: number
  windowSeconds: number
}

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

/** Attempts per address. Those to sign in are in `sign-in-attempts.ts`. */
const addressLimits = {
  register: { limit: 5, windowSeconds: hour },
  forgot: { limit: 5, windowSeconds: hour },
  accept: { limit: 10, windowSeconds: hour },
  verify: { limit: 5, windowSeconds: hour },
} as const satisfies Record<string, Limit>

export type ThrottledAction = keyof typeof addressLimits

/** Counts an attempt on an address, whether it is known or not. Throws 429. */
export function throttleAddress(ctx: Ctx | Ctx<null>, action: ThrottledAction, email: string): Promise<void> {
  return take(ctx, `${action}:address`, addressLimits[action], email.trim().toLowerCase())
}

/** Attempts at the password of an account, or at the code of a new factor, by someone who is signed in to it. */
const passwordChecks: Limit = { limit: 10, windowSeconds: 5 * minute }

/** Counts an attempt of a signed-in person at their own password. Nobody else can use these attempts up. Throws 429. */
export function throttlePasswordCheck(ctx: Ctx, accountId: string): Promise<void> {
  return take(ctx, 'password-check', passwordChecks, accountId)
}

/** Counts an attempt of a signed-in person at the code of a factor that they enrol. Throws 429. */
export function throttleCodeCheck(ctx: Ctx, accountId: string): Promise<void> {
  return take(ctx, 'code-check', passwordChecks, accountId)
}

/** Counts an attempt at something else. False once there were too many. */
export async function hasRoomFor(
  { services }: Ctx<null>,
  name: string,
  limit: Limit,
  subject: string,
): Promise<boolean> {
  if (!services.config.authThrottle) return true
  return (await services.rateLimits.take({ name, ...limit }, subject)).allowed
}

async function take({ services }: Ctx | Ctx<null>, name: string, limit: Limit, subject: string): Promise<void> {
  if (!services.config.authThrottle) return
  const state = await services.rateLimits.take({ name, ...limit }, subject)
  if (state.allowed) return
  throw tooMany('too many attempts; try again later', state.resetSeconds)
}

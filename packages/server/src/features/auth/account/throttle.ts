import { addressKey } from '@mandate/contract/fields/address-key'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Attempts } from '../../../http/routes/route.ts'
import { tooMany } from '../../../refusal.ts'

export interface Limit {
  limit: number
  windowSeconds: number
}

const minute = 60
const hour = 60 * minute

/**
 * Limits of attempts per client IP address. They are high enough for a whole office behind one address. `http/gate/count-attempt.ts`
 * counts the attempts before the body is read.
 */
export const clientAttempts = {
  signIn: { name: 'sign-in', limit: 100, windowSeconds: 5 * minute },
  register: { name: 'register', limit: 20, windowSeconds: hour },
  forgot: { name: 'forgot', limit: 30, windowSeconds: hour },
  accept: { name: 'accept', limit: 60, windowSeconds: hour },
  preview: { name: 'preview', limit: 60, windowSeconds: hour },
  reset: { name: 'reset', limit: 60, windowSeconds: hour },
  // The limit for session refreshes is higher than the limit for sign-ins, because each browser refreshes its session four
  // times an hour.
  refresh: { name: 'refresh', limit: 600, windowSeconds: 5 * minute },
  // Only sign-outs with the session cookie are counted, because other sign-outs need an access token.
  signOut: { name: 'sign-out', limit: 600, windowSeconds: 5 * minute },
  exchange: { name: 'exchange', limit: 100, windowSeconds: 5 * minute },
  startFederated: { name: 'federated-start', limit: 100, windowSeconds: 5 * minute },
  finishFederated: { name: 'federated-finish', limit: 100, windowSeconds: 5 * minute },
} as const satisfies Record<string, Attempts>

/** Limits of attempts per mail address. The limits for signing in with a password are in `sign-in-attempts.ts`. */
const addressLimits = {
  register: { limit: 5, windowSeconds: hour },
  forgot: { limit: 5, windowSeconds: hour },
  accept: { limit: 10, windowSeconds: hour },
  verify: { limit: 5, windowSeconds: hour },
} as const satisfies Record<string, Limit>

export type ThrottledAction = keyof typeof addressLimits

/** Counts an attempt of `action` for a mail address. Counts it for unknown addresses too. @throws 429 */
export function throttleAddress(ctx: Ctx | Ctx<null>, action: ThrottledAction, email: string): Promise<void> {
  return take(ctx, `${action}:address`, addressLimits[action], addressKey(email))
}

/** Limit of attempts for a signed-in person who enters their password or the code of a new second factor. */
const passwordChecks: Limit = { limit: 10, windowSeconds: 5 * minute }

/** Counts an attempt of a signed-in person to enter their own password. Other people cannot use up these attempts. @throws 429 */
export function throttlePasswordCheck(ctx: Ctx, accountId: string): Promise<void> {
  return take(ctx, 'password-check', passwordChecks, accountId)
}

/** Counts an attempt of a signed-in person to enter the code of a factor that they enrol. @throws 429 */
export function throttleCodeCheck(ctx: Ctx, accountId: string): Promise<void> {
  return take(ctx, 'code-check', passwordChecks, accountId)
}

/** Counts an attempt of `subject`, such as an address, under the limit with this name. Returns false if the limit is exceeded. */
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

import type { Ctx } from '../../http/ctx.ts'
import { GateRefusal } from '../../http/errors.ts'
import { clientNetwork } from './client-network.ts'

export interface Limit {
  limit: number
  windowSeconds: number
}

const minute = 60
const hour = 60 * minute

/** Attempts per address and per client; a client may be an office full of people. */
const limits = {
  'sign-in': { address: { limit: 10, windowSeconds: 5 * minute }, client: { limit: 100, windowSeconds: 5 * minute } },
  register: { address: { limit: 5, windowSeconds: hour }, client: { limit: 20, windowSeconds: hour } },
  forgot: { address: { limit: 5, windowSeconds: hour }, client: { limit: 30, windowSeconds: hour } },
  accept: { address: { limit: 10, windowSeconds: hour }, client: { limit: 60, windowSeconds: hour } },
  verify: { address: { limit: 5, windowSeconds: hour }, client: { limit: 60, windowSeconds: hour } },
} as const satisfies Record<string, { address: Limit; client: Limit }>

export type ThrottledAction = keyof typeof limits

/** Counts an attempt of the caller's network. Throws 429. */
export function throttleClient(ctx: Ctx | Ctx<null>, action: ThrottledAction): Promise<void> {
  return take(ctx, `${action}:client`, limits[action].client, clientNetwork(ctx.request.ip))
}

/** Counts an attempt on an address, whether it is known or not. Throws 429. */
export function throttleAddress(ctx: Ctx | Ctx<null>, action: ThrottledAction, email: string): Promise<void> {
  return take(ctx, `${action}:address`, limits[action].address, email.trim().toLowerCase())
}

/** Attempts at the password of an account by someone who is signed in to it. */
const passwordChecks: Limit = { limit: 10, windowSeconds: 5 * minute }

/** Counts an attempt of a signed-in person at their own password. Nobody else can use these attempts up. Throws 429. */
export function throttlePasswordCheck(ctx: Ctx, accountId: string): Promise<void> {
  return take(ctx, 'password-check', passwordChecks, accountId)
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

/** Counts an attempt of the caller's network at something that is no sign-in. Throws 429. */
export function countAttempt(ctx: Ctx<null>, name: string, limit: Limit): Promise<void> {
  return take(ctx, `${name}:client`, limit, clientNetwork(ctx.request.ip))
}

async function take({ services }: Ctx | Ctx<null>, name: string, limit: Limit, subject: string): Promise<void> {
  if (!services.config.authThrottle) return
  const state = await services.rateLimits.take({ name, ...limit }, subject)
  if (state.allowed) return
  throw new GateRefusal(429, 'too many attempts; try again later', true, { 'retry-after': String(state.resetSeconds) })
}

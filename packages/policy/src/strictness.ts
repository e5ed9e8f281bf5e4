import type { Effect } from './types.ts'

/** How strict each effect is. A higher number is stricter. */
export const strictness: Readonly<Record<Effect, number>> = { allow: 0, require_approval: 1, deny: 2 }

/** Returns the stricter of two decisions. If both are equally strict, returns the first one. */
export const stricter = <T extends { effect: Effect }>(one: T, other: T): T =>
  strictness[other.effect] > strictness[one.effect] ? other : one

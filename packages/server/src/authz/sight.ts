import type { Member } from './actor.ts'
import { boundEnvironment, isBoundKey } from './can.ts'

export const sights = ['all', 'bound', 'scoped', 'scoped+bound'] as const

/**
 * The rule that decides what an actor sees. `all`: the whole tenant. `bound`: the environment of the API key. `scoped`: what the user was
 * granted. `scoped+bound`: only what both rules allow.
 */
export type Sight = (typeof sights)[number]

export function sightOf(actor: Member): Sight {
  if (actor.accessScope === 'all') return isBoundKey(actor) ? 'bound' : 'all'
  return isBoundKey(actor) ? 'scoped+bound' : 'scoped'
}

/** The values of the named parameters in visibility conditions. */
export const sightValues = (actor: Member) => ({
  tenantId: actor.tenantId,
  userId: actor.userId,
  environmentId: boundEnvironment(actor),
})

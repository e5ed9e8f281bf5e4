import type { Member } from './actor.ts'
import { boundEnvironment, isBoundKey } from './can.ts'

export const sights = ['all', 'bound', 'scoped', 'scoped+bound'] as const

/**
 * The rule that decides which rows an actor sees.
 * - `all`: all rows of the tenant.
 * - `bound`: the rows of the environment that the API key is bound to.
 * - `scoped`: the rows that the user was given access to.
 * - `scoped+bound`: only the rows that both rules allow.
 */
export type Sight = (typeof sights)[number]

export function sightOf(actor: Member): Sight {
  if (actor.accessScope === 'all') return isBoundKey(actor) ? 'bound' : 'all'
  return isBoundKey(actor) ? 'scoped+bound' : 'scoped'
}

/** The values of the named parameters that visibility conditions use. */
export const sightValues = (actor: Member) => ({
  tenantId: actor.tenantId,
  userId: actor.userId,
  environmentId: boundEnvironment(actor),
})

/** Names the set of rows that an actor of a tenant sees. Actors with the same name see the same rows. */
export function viewerOf(actor: Member): string {
  const isScoped = actor.accessScope !== 'all'
  return `${isScoped ? actor.userId : 'all'} ${boundEnvironment(actor) ?? ''}`
}

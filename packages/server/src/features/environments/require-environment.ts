import type { Member } from '../../authz/actor.ts'
import { boundKeyOwnerText, hasAuthority, isBoundKey, requireOwner } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { forbidden, invalid, notFound } from '../../refusal.ts'
import type { EnvironmentRow } from './queries.ts'

/** `findEnvironment` for a look, `lockEnvironment` for a change. */
type Find = (db: Sql, actor: Member, id: string) => Promise<EnvironmentRow | undefined>

/** 403 for whoever is not a manager or owner with access to the whole tenant, and for every environment-bound key. */
export function requireMayChange(actor: Member): void {
  if (isBoundKey(actor)) throw forbidden('an API key bound to an environment cannot create or change environments')
  if (!hasAuthority(actor, 'manager') || actor.accessScope !== 'all') {
    throw forbidden('only a manager or an owner with access to the whole organization may do this')
  }
}

/** An environment to change: 404 for one the caller cannot see, then the 403 of `requireMayChange`. */
export async function requireChangeable(db: Sql, actor: Member, id: string, find: Find): Promise<EnvironmentRow> {
  const environment = await find(db, actor, id)
  if (!environment) throw notFound('environment')
  requireMayChange(actor)
  return environment
}

/**
 * An environment to delete, or to ask about: 404 for one a scoped caller has no access to; 403 for every
 * environment-bound key, whatever the environment, and for whoever is no owner; 400 for production.
 */
export async function requireDeletable(db: Sql, actor: Member, id: string, find: Find): Promise<EnvironmentRow> {
  // As its creator would see it: the binding refuses with 403 and tells nothing of what exists.
  const environment = await find(db, { ...actor, key: null }, id)
  if (!environment && actor.accessScope !== 'all') throw notFound('environment')
  if (isBoundKey(actor)) throw forbidden(boundKeyOwnerText)
  if (!environment) throw notFound('environment')
  requireOwner(actor, 'only an owner deletes an environment')
  if (environment.is_production) throw invalid('a production environment cannot be deleted')
  return environment
}

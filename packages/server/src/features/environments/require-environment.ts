import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import type { EnvironmentRow } from './queries.ts'
import { boundDeletionRefusal, changeRefusal, deletionRefusal } from './rules.ts'

/** Pass `findEnvironment` to read the environment, or `lockEnvironment` to change it. */
type Find = (db: Sql, actor: Member, id: string) => Promise<EnvironmentRow | undefined>

/**
 * Returns an environment that the caller may change.
 * @throws 404 for an environment that the caller cannot see, else the 403 of `changeRefusal`
 */
export async function requireChangeable(db: Sql, actor: Member, id: string, find: Find): Promise<EnvironmentRow> {
  const environment = await find(db, actor, id)
  if (!environment) throw notFound('environment')
  throwIfRefused(changeRefusal(actor))
  return environment
}

/**
 * Returns an environment that the caller may delete.
 * @throws 404 for an environment that a scoped caller has no access to; 403 for every environment-bound key and for a caller who
 * is not an owner; 400 for a production environment
 */
export async function requireDeletable(db: Sql, actor: Member, id: string, find: Find): Promise<EnvironmentRow> {
  // Looks up the environment with the rights of the key's user (`key: null`), not of the key. So a bound key gets the same 403
  // for each environment of its user. If the user has access to the whole tenant, an unknown id gets this 403 too. The response
  // therefore does not reveal which ids exist.
  const environment = await find(db, { ...actor, key: null }, id)
  if (!environment && actor.accessScope !== 'all') throw notFound('environment')
  throwIfRefused(boundDeletionRefusal(actor))
  if (!environment) throw notFound('environment')
  throwIfRefused(deletionRefusal(actor, environment))
  return environment
}

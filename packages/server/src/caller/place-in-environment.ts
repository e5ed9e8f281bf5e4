import { uuid } from '@mandate/contract/fields/fields'
import type { Member } from '../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../authz/can.ts'
import { forbidden, invalid, notFound } from '../refusal.ts'
import type { Ctx } from './ctx.ts'
import { findEnvironment, type WorkingEnvironment } from './working-environment.ts'

/**
 * Returns the environment in which a new row is created: the environment that the request names, or else the environment that
 * the API key is bound to. The environment is not locked. The new row has a foreign key to it, so the request gets 409 if the
 * environment is deleted at the same time.
 * Throws 403 if a bound key names another environment. Throws 404 if a scoped caller has no access to the environment. Throws
 * 400 if the environment is unknown or not given.
 */
export async function placeInEnvironment(ctx: Ctx<Member>, named: string | undefined): Promise<WorkingEnvironment> {
  const id = placeOf(ctx.actor, named)
  return (await findEnvironment(ctx.sql, ctx.actor, id)) ?? refuseEnvironment(ctx.actor)
}

/**
 * Runs the checks of `placeInEnvironment` for a request whose body is malformed. Does nothing if the field `environment_id`
 * itself is missing or malformed.
 */
export async function refuseBadPlacement(ctx: Ctx<Member>, rawBody: unknown): Promise<void> {
  const sent = (rawBody as Record<string, unknown> | null | undefined)?.environment_id
  const named = uuid.safeParse(sent)
  if (named.success) await placeInEnvironment(ctx, named.data)
}

function placeOf(actor: Member, named: string | undefined): string {
  const bound = boundEnvironment(actor)
  if (bound !== null && named !== undefined && named !== bound) {
    throw forbidden('an API key bound to an environment works in its own environment only')
  }
  const id = bound ?? named
  if (id === undefined) throw invalid('environment_id is required')
  return id
}

function refuseEnvironment(actor: Member): never {
  throw seesWholeTenant(actor) ? invalid('environment_id: environment not found') : notFound('environment')
}

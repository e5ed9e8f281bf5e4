import { uuid } from '@mandate/contract/fields'
import type { Member } from '../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../authz/can.ts'
import { forbidden, invalid, notFound } from '../refusal.ts'
import type { Ctx } from './ctx.ts'
import { findEnvironment, type WorkingEnvironment } from './working-environment.ts'

/**
 * Returns the environment for a new row: the named one, or the key's environment if none is named. The row is not locked. The new row
 * refers to it by a foreign key, so a concurrent deletion gives 409. Throws 403 for a bound key with another environment, 404 for an
 * environment that a scoped caller has no access to, 400 for an unknown or missing environment.
 */
export async function placeInEnvironment(ctx: Ctx<Member>, named: string | undefined): Promise<WorkingEnvironment> {
  const id = placeOf(ctx.actor, named)
  return (await findEnvironment(ctx.sql, ctx.actor, id)) ?? refuseEnvironment(ctx.actor)
}

/** Runs the checks of `placeInEnvironment` on the body of a request that is malformed in another field. */
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

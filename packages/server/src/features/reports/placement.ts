import { uuid } from '@mandate/contract/fields'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * Returns the environment that a new report covers, or null for the whole organization. This is `sent`, the environment in the
 * request. If the request names none, it is the environment that the caller's key is bound to, or null. The calling code must
 * check in the database that the environment exists and that the user has access to it.
 * @throws 403 if the caller's key is bound to another environment; 403 if the report covers the whole organization and the
 *   caller does not see all of it
 */
export function placeReport(actor: Member, sent: string | null | undefined): string | null {
  const bound = boundEnvironment(actor)
  const environmentId = sent === undefined ? bound : sent
  if (bound !== null && environmentId !== bound) {
    throw forbidden('an API key bound to an environment can only create reports of its own environment')
  }
  if (environmentId === null && !seesWholeTenant(actor)) {
    throw forbidden('only a user with access to the whole organization may create a report of the organization')
  }
  return environmentId
}

/**
 * Throws the 403 of `placeReport`. Runs only if the body is invalid. The 403 takes precedence over the 400 for the body. Does
 * nothing if `environment_id` itself is invalid.
 */
export function refuseBadPlacement(actor: Member, rawBody: unknown): void {
  if (typeof rawBody !== 'object' || rawBody === null) return
  const named = uuid
    .nullable()
    .optional()
    .safeParse((rawBody as { environment_id?: unknown }).environment_id)
  if (named.success) placeReport(actor, named.data)
}

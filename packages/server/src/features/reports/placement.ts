import { uuid } from '@mandate/contract/fields'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * Returns the scope of a new report: the environment `sent`, or else the key's environment, or else null for the whole
 * organization. The caller of this function must check in the database that the environment exists and that the user works there.
 * @throws 403 if a bound key names another environment, and for the organization unless the caller sees all of it
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

/** @throws 403 as `placeReport`, for a body that is malformed in another field */
export function refuseBadPlacement(actor: Member, rawBody: unknown): void {
  if (typeof rawBody !== 'object' || rawBody === null) return
  const named = uuid
    .nullable()
    .optional()
    .safeParse((rawBody as { environment_id?: unknown }).environment_id)
  if (named.success) placeReport(actor, named.data)
}

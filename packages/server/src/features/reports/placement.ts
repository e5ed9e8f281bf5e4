import { uuid } from '@mandate/contract/fields'
import type { Member } from '../../authz/actor.ts'
import { boundEnvironment, seesWholeTenant } from '../../authz/can.ts'
import { forbidden } from '../../refusal.ts'

/**
 * What a new report is of: the environment `sent`, or the key's, or (null) the organization. That the environment exists,
 * and that the caller works there, is asked of the database.
 * @throws 403 for another environment than the key's, and for the organization unless the caller sees all of it
 */
export function placeReport(actor: Member, sent: string | null | undefined): string | null {
  const bound = boundEnvironment(actor)
  const environmentId = sent === undefined ? bound : sent
  if (bound !== null && environmentId !== bound) {
    throw forbidden('an API key bound to an environment makes reports of its own environment only')
  }
  if (environmentId === null && !seesWholeTenant(actor)) {
    throw forbidden('only someone with access to the whole organization makes a report of it')
  }
  return environmentId
}

/** What `placeReport` refuses of a body that is malformed in some other field. */
export function refuseBadPlacement(actor: Member, rawBody: unknown): void {
  if (typeof rawBody !== 'object' || rawBody === null) return
  const named = uuid
    .nullable()
    .optional()
    .safeParse((rawBody as { environment_id?: unknown }).environment_id)
  if (named.success) placeReport(actor, named.data)
}

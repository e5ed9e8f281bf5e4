import type { Member } from '../../authz/actor.ts'
import { boundKeyOwnerText, hasAuthority, isBoundKey, ownerRefusal } from '../../authz/can.ts'
import type { Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { forbidden, invalid, type Refusal } from '../../refusal.ts'
import type { EnvironmentRow } from './queries.ts'

type Judged = Pick<EnvironmentRow, 'is_production'>

/** Returns the 403 for an environment-bound key, and for a caller who is not a manager or owner with access to the whole tenant. */
export function changeRefusal(actor: Member): Refusal | undefined {
  if (isBoundKey(actor)) return forbidden('an API key bound to an environment cannot create or change environments')
  if (hasAuthority(actor, 'manager') && actor.accessScope === 'all') return undefined
  return forbidden('only a manager or an owner with access to the whole organization may do this')
}

/**
 * Returns the 403 for a change of `is_production` to false by a caller who is not an owner. The change allows the environment's
 * deletion and lets managers resolve reviews that were reserved for owners.
 */
export function productionRefusal(actor: Member, before: Judged, wanted: boolean | undefined): Refusal | undefined {
  if (!before.is_production || wanted !== false) return undefined
  return ownerRefusal(actor, 'only an owner may set is_production to false')
}

/** Returns the 403 of every environment-bound key that wants to delete an environment of its user. */
export function boundDeletionRefusal(actor: Member): Refusal | undefined {
  return isBoundKey(actor) ? forbidden(boundKeyOwnerText) : undefined
}

/** Returns the 403 for a caller who may not delete the environment, or the 400 for a production environment. */
export function deletionRefusal(actor: Member, { is_production }: Judged): Refusal | undefined {
  const refusal = boundDeletionRefusal(actor) ?? ownerRefusal(actor, 'only an owner may delete an environment')
  if (refusal || !is_production) return refusal
  return invalid('a production environment cannot be deleted')
}

/** The deletion of an environment is also refused while it has agents or policies. The preview of the deletion counts them. */
const environmentRules: Rules<Judged> = {
  updateEnvironment: changeRefusal,
  'updateEnvironment:is_production': (actor, environment) =>
    changeRefusal(actor) ?? productionRefusal(actor, environment, !environment.is_production),
  deleteEnvironment: deletionRefusal,
}

export const environmentMay = mayPart(environmentRules, () => (environment: Judged) => environment)

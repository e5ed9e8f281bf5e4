import { builtinPattern } from '@mandate/content/builtin/catalogue'
import type { Member } from '../../authz/actor.ts'
import { authorityRefusal, seesWholeTenant } from '../../authz/can.ts'
import type { Rule, Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { conflict, forbidden, type Refusal } from '../../refusal.ts'

const wholeTenantText = 'only a user with access to the whole organization may change content patterns'

/** Returns the 403 for a caller who may not change the patterns of the tenant. */
export function patternChangeRefusal(actor: Member): Refusal | undefined {
  return authorityRefusal(actor, 'manager') ?? (seesWholeTenant(actor) ? undefined : forbidden(wholeTenantText))
}

/** Returns the 409 for a pattern of the product. */
export function builtinRefusal(id: string): Refusal | undefined {
  return builtinPattern(id) ? conflict('a built-in pattern cannot be changed or deleted') : undefined
}

const changes: Rule<{ id: string }> = (actor, { id }) => patternChangeRefusal(actor) ?? builtinRefusal(id)

// A pattern that a policy binds cannot be deleted either. To know this for every pattern, each list would read the bindings of all policies.
const patternRules: Rules<{ id: string }> = { updateContentPattern: changes, deleteContentPattern: changes }

export const patternMay = mayPart(patternRules, () => (pattern: { id: string }) => pattern)

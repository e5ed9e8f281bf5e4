import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { atLeast } from '@mandate/contract/words/roles'
import { coded, forbidden, Refusal } from '../refusal.ts'
import type { Member } from './actor.ts'
import { scopesPermit } from './scopes.ts'

/** Returns the 403 for an API key whose scopes do not permit the endpoint. */
export function scopeRefusal({ access, path, method }: Endpoint, { key }: Member): Refusal | undefined {
  const isScoped = !('anyScope' in access && access.anyScope)
  const resource = path.split('/')[1] ?? ''
  if (!key || !isScoped || scopesPermit(key.scopes, resource, method)) return undefined
  return new Refusal(403, 'API key scope does not permit this operation', { code: 'numeric' })
}

/** The 403 of a change by a read-only user, in person or with an API key. */
export const readOnlyText = 'your user is read-only and cannot make changes; only an owner can remove this'

/** Returns the 403 for a caller without the role and the other access that the endpoint declares. */
export function declaredRefusal({ access, method }: Endpoint, actor: Member): Refusal | undefined {
  if (access.by !== 'role') return undefined
  const { role, learners, readOnlyUsers, boundKey, sessionOnly } = access
  if (actor.academyOnly && !learners) return coded('academy_only_account')
  if (actor.readOnly && method !== 'GET' && !readOnlyUsers) return forbidden(readOnlyText)
  if (!atLeast(actor.role, role)) return forbidden(`only a ${role} or above may do this`)
  if (sessionOnly && actor.key) return forbidden('an API key cannot do this; sign in')
  if (boundKey === 'refused' && actor.key?.environmentId) {
    return forbidden('an API key bound to an environment cannot take an organization-wide action')
  }
  return undefined
}

/** Returns the error of the checks that every endpoint makes before its own function runs, in the order of the checks. */
export function accessRefusal(endpoint: Endpoint, actor: Member): Refusal | undefined {
  return scopeRefusal(endpoint, actor) ?? declaredRefusal(endpoint, actor)
}

import type { Member } from '../../authz/actor.ts'
import { authorityRefusal, isBoundKey, makingOwnerRefusal, ownerRefusal, readOnlyRefusal } from '../../authz/can.ts'
import type { Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import { forbidden, type Refusal } from '../../refusal.ts'

/** Returns the 403 for the id of another tenant, whether that tenant exists or not. */
export function otherTenantRefusal(actor: Member, id: string): Refusal | undefined {
  return id === actor.tenantId ? undefined : forbidden('you can only access your own organization')
}

export function settingsRefusal(actor: Member): Refusal | undefined {
  return ownerRefusal(actor, "only an owner may change the organization's settings")
}

export function tenantDeletionRefusal(actor: Member): Refusal | undefined {
  return ownerRefusal(actor, 'only an owner may delete the organization')
}

export function gateRefusal(actor: Member): Refusal | undefined {
  return ownerRefusal(actor, 'only an owner may set the governance gate')
}

export function learnerInvitationRefusal(actor: Member): Refusal | undefined {
  return authorityRefusal(actor, 'manager', 'only a manager or an owner may invite people')
}

/**
 * Returns the 403 for an actor who may not invite a user with this role. Only an owner may invite an owner, and say whether the user is
 * read-only.
 */
export function invitationRefusal(actor: Member, role: unknown, sendsReadOnly = false): Refusal | undefined {
  const refusal = authorityRefusal(actor, 'manager', 'only a manager or an owner may invite people')
  if (refusal) return refusal
  const forOwners = sendsReadOnly ? readOnlyRefusal(actor) : undefined
  if (forOwners || role !== 'owner') return forOwners
  if (isBoundKey(actor)) return forbidden('an API key bound to an environment cannot make anyone an owner')
  return ownerRefusal(actor, 'only an owner may invite an owner') ?? makingOwnerRefusal(actor)
}

/** The actions on the caller's own tenant. */
export const tenantRules: Rules<unknown> = {
  updateTenant: settingsRefusal,
  deleteTenant: tenantDeletionRefusal,
  setGovernanceGate: gateRefusal,
  inviteUser: (actor) => invitationRefusal(actor, 'member'),
  'inviteUser:owner': (actor) => invitationRefusal(actor, 'owner'),
  'inviteUser:read_only': (actor) => invitationRefusal(actor, 'viewer', true),
  inviteLearner: learnerInvitationRefusal,
}

export const tenantMay = mayPart(tenantRules, () => (tenant: object) => tenant)

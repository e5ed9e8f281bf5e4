import type { User } from '@mandate/contract/users'
import type { Rule, Rules } from '../../authz/may.ts'
import { mayPart } from '../../caller/may-part.ts'
import {
  accessChangeRefusal,
  accessChangeRequestRefusal,
  accessScopeRefusal,
  accessScopeRequestRefusal,
  heldRoleRefusal,
  learnerRefusal,
  ownerlessRefusal,
  platformRequestRefusal,
} from './access-rules.ts'
import { findActingOwners } from './queries.ts'
import {
  changeRefusal,
  changeRequestRefusal,
  lastOwnerChangeRefusal,
  lastOwnerRemovalRefusal,
  learnerRoleRefusal,
  mfaReset,
  removalRequestRefusal,
  type SignInAction,
  sentChange,
  sessionRevocation,
  signInRefusal,
  signInRequestRefusal,
  type Target,
} from './rules.ts'

/** A user, and whether the tenant has an owner who can act, and whether the user is the only one. */
export interface UserStanding extends Target {
  tenant_has_owner: boolean
  is_last_owner: boolean
}

const changes =
  (changeOf: (user: Target) => Partial<Pick<User, 'role' | 'read_only'>>): Rule<UserStanding> =>
  (actor, user) => {
    const wanted = changeOf(user)
    const change = sentChange(wanted)
    return (
      changeRequestRefusal(actor, user.id, change) ??
      changeRefusal(actor, user, change) ??
      learnerRoleRefusal(user, wanted.role) ??
      lastOwnerChangeRefusal(user, { ...user, ...wanted }, user.is_last_owner)
    )
  }

/** A role that is not `owner` and that the user does not have. */
const anotherRole = ({ role }: Target): User['role'] => (role === 'viewer' ? 'member' : 'viewer')

const actsOnSignIn =
  (action: SignInAction): Rule<UserStanding> =>
  (actor, user) =>
    signInRequestRefusal(actor, user.id, action) ?? signInRefusal(actor, user, action)

const changesAccess: Rule<UserStanding> = (actor, user) =>
  accessChangeRequestRefusal(actor) ?? accessChangeRefusal(actor, user)

const setsScope =
  (wanted: User['access_scope']): Rule<UserStanding> =>
  (actor, user) =>
    accessScopeRequestRefusal(actor, wanted) ?? accessScopeRefusal(actor, user)

/**
 * The actions on a user. `updateUser` changes the display name, `updateUser:role` gives another role than `owner`, and
 * `updateUser:read_only` sets or removes `read_only`.
 */
const userRules: Rules<UserStanding> = {
  updateUser: changes(() => ({})),
  'updateUser:role': changes((user) => ({ role: anotherRole(user) })),
  'updateUser:owner': changes(() => ({ role: 'owner' })),
  'updateUser:read_only': changes((user) => ({ read_only: !user.read_only })),
  removeUser: (actor, user) => removalRequestRefusal(actor, user.id) ?? lastOwnerRemovalRefusal(user.is_last_owner),
  resetMfa: actsOnSignIn(mfaReset),
  revokeUserSessions: actsOnSignIn(sessionRevocation),
  grantPlatformAccess: (actor, user) =>
    platformRequestRefusal(actor) ??
    learnerRefusal(user) ??
    heldRoleRefusal(actor, user) ??
    ownerlessRefusal(user, user.tenant_has_owner),
  setAccessScope: setsScope('scoped'),
  'setAccessScope:all': setsScope('all'),
  createGrant: changesAccess,
  revokeGrant: changesAccess,
  createEnvironmentAccess: changesAccess,
  revokeEnvironmentAccess: changesAccess,
}

export const userMay = mayPart(userRules, async ({ sql }, _users: readonly User[]) => {
  const owners = await findActingOwners(sql, 2)
  const isLast = (id: string) => owners.length === 1 && owners[0] === id
  return (user) => ({ ...user, tenant_has_owner: owners.length > 0, is_last_owner: isLast(user.id) })
})

import type { User } from '@mandate/contract/users'
import type { Member } from '../../../authz/actor.ts'

/**
 * Returns the user as the actor for an audit entry. Used when users change their own account in a request without
 * authentication, such as a password reset.
 */
export function personOf(user: User, accountId: string | null): Member {
  return {
    kind: 'person',
    tenantId: user.tenant_id,
    userId: user.id,
    accountId,
    email: user.email,
    displayName: user.display_name,
    role: user.role,
    accessScope: user.access_scope,
    academyOnly: user.academy_only,
    readOnly: user.read_only,
    key: null,
  }
}

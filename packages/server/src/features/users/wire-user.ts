import type { AccessScope, Role } from '@mandate/contract/roles'
import type { User } from '@mandate/contract/users'

/** The columns of `users` that the wire shows; rows of them go through `toWireUser`. */
export const userColumns = [
  'id',
  'tenant_id',
  'email',
  'display_name',
  'role',
  'status',
  'academy_only',
  'mfa_enrolled',
  'access_scope',
  'last_active_at',
  'created_at',
] as const

/** A row of `userColumns`. The role, status and scope are held to their values by the database. */
export interface UserRow {
  id: string
  tenant_id: string
  email: string
  display_name: string
  role: string
  status: string
  academy_only: boolean
  mfa_enrolled: boolean
  access_scope: string
  last_active_at: string | null
  created_at: string
}

/** A user as the wire shows one: an owner is never scoped, whatever is stored; a time not yet known is absent. */
export function toWireUser(row: UserRow): User {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    email: row.email,
    display_name: row.display_name,
    role: row.role as Role,
    status: row.status as User['status'],
    academy_only: row.academy_only,
    mfa_enrolled: row.mfa_enrolled,
    access_scope: row.role === 'owner' ? 'all' : (row.access_scope as AccessScope),
    ...(row.last_active_at !== null && { last_active_at: row.last_active_at }),
    created_at: row.created_at,
  }
}

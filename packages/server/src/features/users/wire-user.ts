import type { User } from '@mandate/contract/users'

/** The columns of `users` that responses contain. `toWireUser` converts a row with these columns to JSON. */
export const userColumns = [
  'id',
  'tenant_id',
  'email',
  'display_name',
  'role',
  'status',
  'academy_only',
  'mfa_enrolled',
  'federated',
  'access_scope',
  'read_only',
  'last_active_at',
  'created_at',
] as const

/** A row of `userColumns`. */
export type UserRow = Omit<User, 'last_active_at' | 'factors' | 'agents' | 'environments' | 'invitation'> & {
  last_active_at: string | null
}

/** Returns the response for a user. An owner's access scope is always `all`. `last_active_at` is left out if it is unknown. */
export function toWireUser(row: UserRow): User {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    email: row.email,
    display_name: row.display_name,
    role: row.role,
    status: row.status,
    academy_only: row.academy_only,
    mfa_enrolled: row.mfa_enrolled,
    factors: row.mfa_enrolled ? ['totp'] : [],
    federated: row.federated,
    access_scope: row.role === 'owner' ? 'all' : row.access_scope,
    read_only: row.read_only,
    ...(row.last_active_at !== null && { last_active_at: row.last_active_at }),
    created_at: row.created_at,
  }
}

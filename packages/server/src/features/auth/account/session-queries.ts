import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { type TenantRow, tenantColumns } from '../../tenants/wire-tenant.ts'
import { type UserRow, userColumns } from '../../users/wire-user.ts'

interface EnvironmentRow {
  environment_id: string | null
  environment_name: string
  environment_slug: string
}

// Leaves out `u.tenant_id`, because the statement below already selects the tenant's id as `t.id as tenant_id`.
const ownColumns = userColumns.filter((column) => column !== 'tenant_id')

const sessionText = `
  select ${ownColumns.map((column) => `u.${column}`)}, ${tenantColumns.map((column) => `t.${column} as tenant_${column}`)},
    u.email_verified, e.id as environment_id, e.name as environment_name, e.slug as environment_slug
  from users u join tenants t on t.id = u.tenant_id
  left join environments e on e.tenant_id = u.tenant_id and e.id = $3
  where u.tenant_id = $1 and u.id = $2`

/** Reads a user, their tenant, and the environment of the API key with one statement. */
export function findSession(db: Sql, userId: string, environmentId: string | null) {
  return db.maybe(
    raw<UserRow & TenantRow<'tenant_'> & EnvironmentRow & { email_verified: boolean }>(sessionText, [
      db.tenantId,
      userId,
      environmentId,
    ]),
  )
}

/** Returns whether a user's address was verified; undefined for a user who was removed. */
export function findEmailVerified(db: Sql, userId: string) {
  return db.maybe(
    raw<{ email_verified: boolean }>('select email_verified from users where tenant_id = $1 and id = $2', [
      db.tenantId,
      userId,
    ]),
  )
}

/** Returns the names of the first three owners who can act and have a name. */
export async function findContacts(db: Sql): Promise<string[]> {
  const text = `select display_name from users
    where tenant_id = $1 and role = 'owner' and status = 'active' and not academy_only and not read_only and display_name <> ''
    order by created_at, id limit 3`
  return (await db.all(raw<{ display_name: string }>(text, [db.tenantId]))).map(({ display_name }) => display_name)
}

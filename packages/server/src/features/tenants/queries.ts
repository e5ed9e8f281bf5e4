import type { Sql } from '../../db/database.ts'
import { sql } from '../../db/statement.ts'

const tenantColumns = [
  'id',
  'name',
  'plan',
  'governance_gate',
  'saml_enabled',
  'saml_email_domain',
  'created_at',
] as const

/** The tenant as the wire shows it; undefined once it is deleted. */
export function findTenant(db: Sql, tenantId: string) {
  return db.maybe(sql.selectFrom('tenants').select(tenantColumns).where('id', '=', tenantId))
}

import type { Sql, Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { samlFields } from '../../tenants/saml/saml-settings.ts'
import { tenantColumns } from '../../tenants/wire-tenant.ts'

/** Inserts a tenant with the default governance gate. The transaction must run as this tenant. */
export function insertTenant(tx: Tx, name: string, plan: string, now: string) {
  return tx.one(
    sql
      .insertInto('tenants')
      .values({ id: tx.tenantId, name, plan, governance_gate: 'alert', created_at: now })
      .returning(tenantColumns),
  )
}

/** Inserts the two environments of a new tenant. */
export function insertFirstEnvironments(tx: Tx, now: string) {
  return tx.all(
    raw(
      `insert into environments (tenant_id, id, name, slug, is_production, created_at)
       values ($1, $2, 'Production', 'production', true, $4), ($1, $3, 'Development', 'development', false, $4)`,
      [tx.tenantId, newId(), newId(), now],
    ),
  )
}

/** Returns the tenant whose SAML provider signs in the people with addresses of this domain. */
export function findTenantOfDomain(db: Sql, domain: string) {
  return db.maybe(sql.selectFrom('saml_domain_lookup').select('tenant_id').where('domain', '=', domain))
}

/** Returns the tenant of a SAML provider. */
export function findTenantOfProvider(db: Sql, providerId: string) {
  return db.maybe(sql.selectFrom('saml_provider_lookup').select('tenant_id').where('provider_id', '=', providerId))
}

export function findSamlSettings(db: Sql) {
  return db.maybe(
    sql
      .selectFrom('tenants')
      .select(['id', ...samlFields])
      .where('id', '=', db.tenantId),
  )
}

/** Returns the tenant's name as a list of words. A password of the tenant's users must not consist of these words. */
export async function contextWords(db: Sql): Promise<string[]> {
  const tenant = await db.maybe(sql.selectFrom('tenants').select('name').where('id', '=', db.tenantId))
  return tenant ? [tenant.name] : []
}

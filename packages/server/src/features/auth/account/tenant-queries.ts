import type { Sql, Tx } from '../../../db/database.ts'
import { newId } from '../../../db/new-id.ts'
import { raw, sql } from '../../../db/statement.ts'
import { samlFields } from '../../tenants/saml-settings.ts'
import { tenantColumns } from '../../tenants/wire-tenant.ts'

/** A tenant with the gate it begins with. The transaction runs as this tenant. */
export function insertTenant(tx: Tx, name: string, plan: string, now: string) {
  return tx.one(
    sql
      .insertInto('tenants')
      .values({ id: tx.tenantId, name, plan, governance_gate: 'alert', created_at: now })
      .returning(tenantColumns),
  )
}

/** The two environments every tenant begins with. */
export function insertFirstEnvironments(tx: Tx, now: string) {
  return tx.all(
    raw(
      `insert into environments (tenant_id, id, name, slug, is_production, created_at)
       values ($1, $2, 'Production', 'production', true, $4), ($1, $3, 'Development', 'development', false, $4)`,
      [tx.tenantId, newId(), newId(), now],
    ),
  )
}

/** Global: the tenant that signs in through SAML with addresses of a domain. */
export function findTenantOfDomain(db: Sql, domain: string) {
  return db.maybe(sql.selectFrom('saml_domain_lookup').select('tenant_id').where('domain', '=', domain))
}

/** Global: the tenant a SAML provider belongs to. */
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

/** Words that a password of the acting tenant's people must not consist of. */
export async function contextWords(db: Sql): Promise<string[]> {
  const tenant = await db.maybe(sql.selectFrom('tenants').select('name').where('id', '=', db.tenantId))
  return tenant ? [tenant.name] : []
}

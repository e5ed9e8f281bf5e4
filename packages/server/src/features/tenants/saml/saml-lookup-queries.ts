import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/statements/statement.ts'

/**
 * Replaces the tenant's domain in the table by which sign-in finds the tenant. An empty domain removes the entry. Returns false
 * if the domain belongs to another tenant.
 */
export async function keepDomainLookup(tx: Tx, domain: string): Promise<boolean> {
  await tx.all(sql.deleteFrom('saml_domain_lookup').where('tenant_id', '=', tx.tenantId))
  if (domain === '') return true
  const kept = await tx.maybe(
    sql
      .insertInto('saml_domain_lookup')
      .values({ domain, tenant_id: tx.tenantId })
      .onConflict((conflict) => conflict.column('domain').doNothing())
      .returning('domain'),
  )
  return kept !== undefined
}

/** Like `keepDomainLookup`, with the tenant's SAML provider id instead of the domain. */
export async function keepProviderLookup(tx: Tx, providerId: string): Promise<boolean> {
  await tx.all(sql.deleteFrom('saml_provider_lookup').where('tenant_id', '=', tx.tenantId))
  if (providerId === '') return true
  const kept = await tx.maybe(
    sql
      .insertInto('saml_provider_lookup')
      .values({ provider_id: providerId, tenant_id: tx.tenantId })
      .onConflict((conflict) => conflict.column('provider_id').doNothing())
      .returning('provider_id'),
  )
  return kept !== undefined
}

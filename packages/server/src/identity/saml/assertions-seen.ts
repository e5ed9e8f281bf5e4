import type { Db, SamlProviderSettings } from '../port.ts'

/** Stores the id of an assertion until the assertion expires. Returns false if the id was already stored. */
export async function rememberAssertion(
  db: Db,
  settings: SamlProviderSettings,
  assertionId: string,
  expiresAt: Date,
): Promise<boolean> {
  const { rows } = await db.query(
    `insert into identity.saml_assertions_seen (tenant_id, provider_id, assertion_id, expires_at)
     values ($1, $2, $3, $4) on conflict do nothing returning assertion_id`,
    [settings.tenantId, settings.providerId, assertionId, expiresAt],
  )
  return rows.length === 1
}

import type { Db, SamlProviderSettings } from '../port.ts'

/** Stores an assertion's id until it expires. Returns false if it was stored before. */
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

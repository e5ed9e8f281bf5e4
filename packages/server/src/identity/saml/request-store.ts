import type { CacheProvider } from '@node-saml/node-saml'
import type { Db, SamlProviderSettings } from '../port.ts'

export const REQUEST_LIFETIME_MS = 10 * 60_000

/**
 * The requests sent to one provider, in the shape the SAML library asks for. An answer is looked up among the requests
 * sent to that very provider. Removal is left to `takeRequest`: the library removes on any failure, and would so let
 * a stranger's forged answer end someone's sign-in.
 */
export function createRequestStore(db: Db, settings: SamlProviderSettings, now: Date): CacheProvider {
  return {
    async saveAsync(requestId, value) {
      await db.query(
        `insert into identity.saml_requests (request_id, tenant_id, provider_id, created_at, expires_at)
         values ($1, $2, $3, $4, $5)`,
        [requestId, settings.tenantId, settings.providerId, now, new Date(now.getTime() + REQUEST_LIFETIME_MS)],
      )
      return { value, createdAt: now.getTime() }
    },
    async getAsync(requestId) {
      // Whatever stands in an unverified response gets here: only an id of ours may go on to the database.
      if (!/^[A-Za-z0-9_-]{1,128}$/.test(requestId)) return null
      const { rows } = await db.query(
        `select created_at from identity.saml_requests
         where request_id = $1 and tenant_id = $2 and provider_id = $3 and expires_at > $4`,
        [requestId, settings.tenantId, settings.providerId, now],
      )
      return rows[0] ? new Date(rows[0].created_at).toISOString() : null
    },
    async removeAsync() {
      return null
    },
  }
}

/** Uses a request up: of any number of concurrent answers to it one at most is told `true`. */
export async function takeRequest(
  db: Db,
  settings: SamlProviderSettings,
  requestId: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await db.query(
    `delete from identity.saml_requests
     where request_id = $1 and tenant_id = $2 and provider_id = $3 and expires_at > $4 returning request_id`,
    [requestId, settings.tenantId, settings.providerId, now],
  )
  return rows.length === 1
}

/** Remembers an assertion until it expires; `false` when it was seen before. */
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

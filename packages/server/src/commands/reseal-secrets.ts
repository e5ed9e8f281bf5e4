import { readOperatorConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { findTenantIds } from '../db/tenants/find-tenant-ids.ts'
import { identityDb } from '../features/auth/account/identity-db.ts'
import { resealContentKeys } from '../features/content/reseal-content-keys.ts'
import { resealCredentials } from '../features/credentials/reseal-secrets.ts'
import { resealPlatformSecrets } from '../features/platforms/reseal-secrets.ts'
import { resealFactors } from '../identity/embedded/reseal-factors.ts'
import type { Vault } from '../identity/port.ts'
import type { Resealed } from '../identity/reseal.ts'
import { vaultOf } from '../identity/vault.ts'
import { withDatabase } from './open-for-operator.ts'

export interface ResealedCounts {
  platform_secrets: number
  credential_secrets: number
  second_factors: number
  content_keys: number
}

/**
 * Re-encrypts all platform secrets, secrets of credentials, second factors and keys for digests with the current vault key. Previous vault keys are then no longer needed
 * for them. The command may run repeatedly, and while the server runs. If a secret cannot be decrypted with any of the given
 * keys, all others are still re-encrypted, and an error that names the secret is thrown.
 */
export async function resealSecrets(): Promise<ResealedCounts> {
  const config = readOperatorConfig()
  // With one key alone, no secret gets another key.
  const hasPrevious = config.previousVaultKeys.length > 0
  return await withDatabase(
    config,
    (db, vaultKey) => resealAll(db, vaultOf(vaultKey, config.previousVaultKeys)),
    hasPrevious,
  )
}

async function resealAll(db: Database, vault: Vault): Promise<ResealedCounts> {
  const platforms = await resealEveryTenant(db, vault, resealPlatformSecrets)
  const credentials = await resealEveryTenant(db, vault, resealCredentials)
  const contentKeys = await resealEveryTenant(db, vault, resealContentKeys)
  // Each factor is updated in a separate transaction. A sign-in therefore never waits until all factors are re-encrypted.
  const factors = await resealFactors(identityDb({ db }), vault)
  const lost = [
    ...platforms.unreadable.map((id) => `the secret of platform ${id}`),
    ...credentials.unreadable.map((id) => `the secret of credential ${id}`),
    ...contentKeys.unreadable.map((id) => `the content key of environment ${id}`),
    ...factors.unreadable.map((id) => `second factor ${id}`),
  ]
  if (lost.length > 0) throw new Error(`no vault key given opens ${lost.join(', ')}; the others were re-encrypted`)
  return {
    platform_secrets: platforms.resealed,
    credential_secrets: credentials.resealed,
    second_factors: factors.resealed,
    content_keys: contentKeys.resealed,
  }
}

async function resealEveryTenant(db: Database, vault: Vault, reseal: typeof resealCredentials): Promise<Resealed> {
  const all: Resealed = { resealed: 0, unreadable: [] }
  for (const tenantId of await findTenantIds(db.global)) {
    const { resealed, unreadable } = await db.transaction(tenantId, (tx) => reseal(tx, vault))
    all.resealed += resealed
    all.unreadable.push(...unreadable)
  }
  return all
}

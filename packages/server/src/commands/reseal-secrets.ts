import { readOperatorConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { findTenantIds } from '../db/find-tenant-ids.ts'
import { identityDb } from '../features/auth/account/identity-db.ts'
import { resealPlatformSecrets } from '../features/platforms/reseal-secrets.ts'
import { resealFactors } from '../identity/embedded/reseal-factors.ts'
import type { Vault } from '../identity/port.ts'
import type { Resealed } from '../identity/reseal.ts'
import { vaultOf } from '../identity/vault.ts'
import { readVaultKey, withDatabase } from './open-for-operator.ts'

export interface ResealedCounts {
  platform_secrets: number
  second_factors: number
}

/**
 * Seals all platform secrets and second factors under the vault key in force, so that keys used before are not needed for them any
 * more. May be run again, and while the server runs. @throws naming what opens under no key given; all else is sealed by then
 */
export async function resealSecrets(): Promise<ResealedCounts> {
  const config = readOperatorConfig()
  const vault = vaultOf(await readVaultKey(config), config.previousVaultKeys)
  return await withDatabase(config, async (db) => {
    const platforms = await resealEveryTenants(db, vault)
    // Each on its own: people go on signing in with theirs.
    const factors = await resealFactors(identityDb({ db }), vault)
    const lost = [
      ...platforms.unreadable.map((id) => `the secret of platform ${id}`),
      ...factors.unreadable.map((id) => `second factor ${id}`),
    ]
    if (lost.length > 0) throw new Error(`no vault key given opens ${lost.join(', ')}; the others are sealed anew`)
    return { platform_secrets: platforms.resealed, second_factors: factors.resealed }
  })
}

async function resealEveryTenants(db: Database, vault: Vault): Promise<Resealed> {
  const all: Resealed = { resealed: 0, unreadable: [] }
  for (const tenantId of await findTenantIds(db.global)) {
    const { resealed, unreadable } = await db.transaction(tenantId, (tx) => resealPlatformSecrets(tx, vault))
    all.resealed += resealed
    all.unreadable.push(...unreadable)
  }
  return all
}

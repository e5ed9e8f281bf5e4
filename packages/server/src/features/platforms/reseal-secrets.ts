import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../identity/port.ts'
import { type Resealed, resealEach } from '../../identity/reseal.ts'
import { findSealedSecrets, replaceSealedSecret } from './queries.ts'
import { secretContext } from './rules.ts'

/** Decrypts the tenant's platform secrets and encrypts them with the vault's current key. */
export async function resealPlatformSecrets(tx: Tx, vault: Vault): Promise<Resealed> {
  const rows = await findSealedSecrets(tx)
  const secrets = rows.map((row) => ({ ...row, context: secretContext(tx.tenantId, row.id) }))
  return await resealEach(vault, secrets, (id, old, sealed) => replaceSealedSecret(tx, id, old, sealed))
}

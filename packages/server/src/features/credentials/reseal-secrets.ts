import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../identity/port.ts'
import { type Resealed, resealEach } from '../../identity/reseal.ts'
import { findSealedSecrets, replaceSealedSecret } from './queries.ts'
import { secretContext } from './rules.ts'

/** Decrypts the secrets of the tenant's credentials and encrypts them with the vault's current key. Their versions stay. */
export async function resealCredentials(tx: Tx, vault: Vault): Promise<Resealed> {
  const rows = await findSealedSecrets(tx)
  const secrets = rows.map((row) => ({ ...row, context: secretContext(tx.tenantId, row.id) }))
  return await resealEach(vault, secrets, (id, old, sealed) => replaceSealedSecret(tx, id, old, sealed))
}

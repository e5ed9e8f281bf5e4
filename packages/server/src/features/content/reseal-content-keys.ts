import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../identity/port.ts'
import { type Resealed, resealEach } from '../../identity/reseal.ts'
import { findSealedKeys, replaceSealedKey } from './key-queries.ts'

/** Binds a sealed key to its environment. It cannot be opened in a row of another environment or tenant. */
export const keyContext = (tenantId: string, environmentId: string) => `content-key:${tenantId}:${environmentId}`

/** Decrypts the tenant's keys for digests and encrypts them with the vault's current key. */
export async function resealContentKeys(tx: Tx, vault: Vault): Promise<Resealed> {
  const rows = await findSealedKeys(tx)
  const keys = rows.map((row) => ({ ...row, context: keyContext(tx.tenantId, row.id) }))
  return await resealEach(vault, keys, (id, old, sealed) => replaceSealedKey(tx, id, old, sealed))
}

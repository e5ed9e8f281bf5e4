import type { Db, Vault } from '../port.ts'
import { type Resealed, resealEach } from '../reseal.ts'
import { secretContext } from './verify-otp.ts'

/**
 * Re-encrypts all second factors with the current key of the vault. This includes factors that are not confirmed yet.
 */
export async function resealFactors(db: Db, vault: Vault): Promise<Resealed> {
  const { rows } = await db.query('select id, account_id, secret_sealed from identity.totp_factors order by id')
  const secrets = rows.map(({ id, account_id, secret_sealed: sealed }) => ({
    id,
    sealed,
    context: secretContext(account_id),
  }))
  return await resealEach(vault, secrets, (id, old, sealed) =>
    db.query('update identity.totp_factors set secret_sealed = $3 where id = $1 and secret_sealed = $2', [
      id,
      old,
      sealed,
    ]),
  )
}

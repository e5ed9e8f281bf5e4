import type { Db } from './port.ts'

/** Deletes expired sign-in attempts and assertion ids. They are no longer accepted anyway. */
export async function sweepExpired(db: Db, now: Date): Promise<void> {
  await db.query('delete from identity.oidc_states where expires_at < $1', [now])
  await db.query('delete from identity.saml_requests where expires_at < $1', [now])
  await db.query('delete from identity.spent_attempts where expires_at < $1', [now])
  await db.query('delete from identity.saml_assertions_seen where expires_at < $1', [now])
}

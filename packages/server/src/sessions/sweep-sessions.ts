import { type Database, noTenant } from '../db/database.ts'
import { raw } from '../db/statement.ts'

const unusable = `delete from sessions s where not exists (
  select from refresh_tokens t where t.session_id = s.id and t.expires_at > $1)`

// Browsers keep the cookie for at most 400 days.
const forgottenDevices = `delete from known_devices where last_seen_at < $1::timestamptz - interval '400 days'`

/**
 * Deletes sessions without a usable token, expired password resets and mailed proofs, and devices not seen for 400 days. Call it
 * regularly.
 */
export async function sweepSessions(db: Database, now: string): Promise<void> {
  await db.transaction(noTenant, async (tx) => {
    await tx.all(raw(unusable, [now]))
    await tx.all(raw('delete from password_resets where expires_at <= $1', [now]))
    await tx.all(raw('delete from mail_proofs where expires_at <= $1', [now]))
    await tx.all(raw(forgottenDevices, [now]))
  })
}

import { type Database, noTenant } from '../db/database.ts'
import { raw } from '../db/statement.ts'

const unusable = `delete from sessions s where not exists (
  select from refresh_tokens t where t.session_id = s.id and t.expires_at > $1)`

/** Deletes sessions no token of which can serve any more, and password resets that have expired. To be run now and then. */
export async function sweepSessions(db: Database, now: string): Promise<void> {
  await db.transaction(noTenant, async (tx) => {
    await tx.all(raw(unusable, [now]))
    await tx.all(raw('delete from password_resets where expires_at <= $1', [now]))
  })
}

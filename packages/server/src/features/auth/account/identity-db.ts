import { noTenant } from '../../../db/database.ts'
import type { Db } from '../../../identity/port.ts'
import type { Services } from '../../../services.ts'

/**
 * Each statement on its own, committed at once: a spent one-time password or an answered sign-in attempt stays spent,
 * whatever comes after.
 */
export function identityDb({ db }: Pick<Services, 'db'>): Db {
  return { query: (text, values) => db.transaction(noTenant, (tx) => tx.query(text, values)) }
}

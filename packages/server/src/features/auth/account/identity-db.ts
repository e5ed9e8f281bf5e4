import { noTenant } from '../../../db/database.ts'
import type { Db } from '../../../identity/port.ts'
import type { Services } from '../../../services.ts'

/**
 * Database access that runs each statement in its own transaction. So a used one-time password or sign-in attempt stays used,
 * even if the request fails later.
 */
export function identityDb({ db }: Pick<Services, 'db'>): Db {
  return { query: (text, values) => db.transaction(noTenant, (tx) => tx.query(text, values)) }
}

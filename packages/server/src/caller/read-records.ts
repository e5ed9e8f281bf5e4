import type { Member } from '../authz/actor.ts'
import type { Sql } from '../db/database.ts'
import type { Ctx } from './ctx.ts'
import { isLimitedByGrants } from './records-in-sight.ts'

/**
 * Reads a list of records about agents. For a scoped user, the list takes several statements. They must see the same snapshot,
 * and they must not delay other reads. They therefore run in a transaction of their own and not on a shared connection.
 */
export function readRecords<T>({ actor, sql, services }: Ctx<Member>, read: (sql: Sql) => Promise<T>): Promise<T> {
  return isLimitedByGrants(actor) ? services.db.readSnapshot(actor.tenantId, read) : read(sql)
}

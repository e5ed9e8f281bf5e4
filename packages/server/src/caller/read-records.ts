import type { Member } from '../authz/actor.ts'
import { seesWholeTenant } from '../authz/can.ts'
import type { Sql } from '../db/database.ts'
import type { Ctx } from './ctx.ts'

/**
 * Reads a list of records about agents. If the actor sees only some agents, the list takes several statements. They must see
 * the same snapshot, and they must not delay other reads. They therefore run in a transaction of their own and not on a shared
 * connection.
 */
export function readRecords<T>({ actor, sql, services }: Ctx<Member>, read: (sql: Sql) => Promise<T>): Promise<T> {
  return seesWholeTenant(actor) ? read(sql) : services.db.readSnapshot(actor.tenantId, read)
}

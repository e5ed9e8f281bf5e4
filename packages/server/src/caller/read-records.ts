import type { Member } from '../authz/actor.ts'
import { seesWholeTenant } from '../authz/can.ts'
import type { Sql } from '../db/database.ts'
import type { Ctx } from './ctx.ts'

/**
 * Reads a list of records about agents. For an actor who sees only some agents the list takes several statements. They need one snapshot,
 * and they must not delay other reads on a shared connection.
 */
export function readRecords<T>({ actor, sql, services }: Ctx<Member>, read: (sql: Sql) => Promise<T>): Promise<T> {
  return seesWholeTenant(actor) ? read(sql) : services.db.readSnapshot(actor.tenantId, read)
}

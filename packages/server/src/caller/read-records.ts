import type { Member } from '../authz/actor.ts'
import { seesWholeTenant } from '../authz/can.ts'
import type { Sql } from '../db/database.ts'
import type { Ctx } from './ctx.ts'

/**
 * Reads a list of records on agents. The list of an actor who sees a part of the agents takes several statements, which must read one moment
 * and may not hold up the reads that share a connection.
 */
export function readRecords<T>({ actor, sql, services }: Ctx<Member>, read: (sql: Sql) => Promise<T>): Promise<T> {
  return seesWholeTenant(actor) ? read(sql) : services.db.readMoment(actor.tenantId, read)
}

import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { forbidden, notFound } from '../../refusal.ts'
import type { ReportRow } from './queries.ts'

/** Pass `findReport` to read the report, or `lockReport` to change it. */
type Find = (db: Sql, actor: Member, id: string) => Promise<ReportRow | undefined>

/**
 * Returns a report that the caller may delete or share. @throws 404 if the caller does not see it, 403 unless they are a manager,
 * an owner or the user who created it
 */
export async function requireKeeper(db: Sql, actor: Member, id: string, find: Find): Promise<ReportRow> {
  const report = await find(db, actor, id)
  if (!report) throw notFound('report')
  const isMaker = report.generated_by === actor.userId && hasAuthority(actor, 'member')
  if (!isMaker && !hasAuthority(actor, 'manager')) {
    throw forbidden('only a manager, an owner or the user who created the report may do this')
  }
  return report
}

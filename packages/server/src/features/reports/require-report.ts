import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import type { ReportRow } from './queries.ts'
import { keeperRefusal } from './rules.ts'

/** Pass `findReport` to read the report, or `lockReport` to change it. */
type Find = (db: Sql, actor: Member, id: string) => Promise<ReportRow | undefined>

/**
 * Returns a report that the caller may delete or share. @throws 404 if the caller does not see it, 403 unless they are a manager,
 * an owner or the user who created it
 */
export async function requireKeeper(db: Sql, actor: Member, id: string, find: Find): Promise<ReportRow> {
  const report = await find(db, actor, id)
  if (!report) throw notFound('report')
  throwIfRefused(keeperRefusal(actor, report))
  return report
}

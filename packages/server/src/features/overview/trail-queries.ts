import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/** Returns the number of sealed entries of the audit trail, and the time of the newest of them. */
export async function findTrailEnd(db: Sql): Promise<{ sealed_through: string | null; entries: number }> {
  const text = `select h.seq as entries, (select e.created_at from audit_entries e
      where e.tenant_id = $1 and e.id = s.entry_id) as sealed_through
    from audit_heads h left join audit_seals s on s.tenant_id = $1 and s.seq = h.seq where h.tenant_id = $1`
  const found = await db.maybe(raw<{ sealed_through: string | null; entries: number }>(text, [db.tenantId]))
  return { sealed_through: found?.sealed_through ?? null, entries: found?.entries ?? 0 }
}

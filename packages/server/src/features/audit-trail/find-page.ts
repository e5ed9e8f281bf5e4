import type { AuditFilters } from '@mandate/contract/audit'
import { sql as fragment } from 'kysely'
import { entryJson } from '../../audit/entry-json.ts'
import type { Member } from '../../authz/actor.ts'
import type { Sql } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'
import { isCandidate, isWanted } from './entry-filters.ts'
import type { EntryRow } from './queries.ts'

/** Maximum number of entries that one request checks. */
export const lookedAtMost = 5000

export interface EntryPage {
  /** At most `limit` entries, newest first. */
  entries: EntryRow[]
  /** The next page contains entries with ids lower than this id. Null on the last page. */
  nextAfter: string | null
}

/**
 * Returns entries that the actor sees and that pass the filters, newest first, after `afterId`. It checks at most `lookedAtMost`
 * entries that one index returns. So a page may have fewer than `limit` entries, or no entries at all, although there is a next
 * page.
 */
export async function findPage(
  db: Sql,
  actor: Member,
  filters: AuditFilters,
  { afterId, limit }: { afterId: string | undefined; limit: number },
): Promise<EntryPage> {
  const before = afterId === undefined ? fragment`true` : fragment`e.id < ${afterId}`
  // The limit is a constant in the SQL text, because PostgreSQL estimates a parameterised LIMIT as 10 % of the rows.
  const candidates = (columns: string, rows: string) => fragment`select ${fragment.raw(columns)} from audit_entries e
    where e.tenant_id = ${db.tenantId} and ${isCandidate(filters)} and ${before}
    order by e.id desc ${fragment.raw(rows)}`
  const { sql: text, parameters } = fragment`
    with fit as materialized (
      select e.id, ${fragment.raw(entryJson)} as entry from (${candidates('e.*', `limit ${lookedAtMost}`)}) e
      where ${isWanted(actor, filters)} order by e.id desc limit ${limit + 1})
    select f.id, f.entry, l.last_id
    from (select case when (select count(*) from fit) <= ${limit}::int
      then (${candidates('e.id', `offset ${lookedAtMost - 1} limit 1`)}) end as last_id) l
    left join fit f on true order by f.id desc`.compile(sql)
  const rows = await db.all(raw<(EntryRow | { id: null }) & { last_id: string | null }>(text, parameters))
  const found = rows.filter((row) => row.id !== null) as EntryRow[]
  const entries = found.slice(0, limit)
  const isMore = found.length > entries.length
  return { entries, nextAfter: isMore ? (entries.at(-1)?.id ?? null) : (rows[0]?.last_id ?? null) }
}

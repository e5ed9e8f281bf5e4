import type { AuditFilters } from '@mandate/contract/audit/audit'
import { genesisHash } from '@mandate/contract/audit/sealed-forms'
import { sql as fragment, type RawBuilder } from 'kysely'
import { entryJson } from '../../audit/entry-json.ts'
import type { Member } from '../../authz/actor.ts'
import { hasAuthority } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { type RawStatement, raw, sql } from '../../db/statements/statement.ts'
import { drivingFilter, isCandidate, isInTimeRange, isWanted } from './entry-filters.ts'
import { eventTypesOf } from './event-types.ts'
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
  const types = drivingFilter(filters) === 'event_type' ? eventTypesOf(filters.event_type as string) : null
  if (types !== null) return pageOf(await db.all(pageOfTypes(db, actor, filters, types, before, limit)), limit)
  // The limit is a constant in the SQL text, because PostgreSQL estimates a parameterised LIMIT as 10 % of the rows.
  const candidates = (columns: string, rows: string) => fragment`select ${fragment.raw(columns)} from audit_entries e
    where e.tenant_id = ${db.tenantId} and ${isCandidate(filters)} and ${before}
    order by e.id desc ${fragment.raw(rows)}`
  const { sql: text, parameters } = fragment`
    with fit as materialized (
      select e.id, ${fragment.raw(entryJson)} as entry from (${candidates('e.*', `limit ${lookedAtMost}`)}) e
      where ${isWanted(actor, filters)} order by e.id desc limit ${limit + 1})
    select f.id, ${entryFor(actor)} as entry, l.last_id
    from (select case when (select count(*) from fit) <= ${limit}::int
      then (${candidates('e.id', `offset ${lookedAtMost - 1} limit 1`)}) end as last_id) l
    left join fit f on true ${sealFor(db, actor)} order by f.id desc`.compile(sql)
  return pageOf(await db.all(raw<FoundRow>(text, parameters)), limit)
}

type FoundRow = (EntryRow | { id: null }) & { last_id: string | null }

function pageOf(rows: readonly FoundRow[], limit: number): EntryPage {
  const found = rows.filter((row) => row.id !== null) as EntryRow[]
  const entries = found.slice(0, limit)
  const isMore = found.length > entries.length
  return { entries, nextAfter: isMore ? (entries.at(-1)?.id ?? null) : (rows[0]?.last_id ?? null) }
}

/**
 * A page of the entries of several event types. The index has the entries of one type sorted by id, so it reads the newest entries of
 * each type, and drops those that are older than an entry that it did not read.
 */
function pageOfTypes(
  db: Sql,
  actor: Member,
  filters: AuditFilters,
  types: readonly string[],
  before: RawBuilder<unknown>,
  limit: number,
): RawStatement<FoundRow> {
  const each = Math.max(Math.floor(lookedAtMost / Math.max(types.length, 1)), mostPerPage + 1)
  const { sql: text, parameters } = fragment`
    with looked as materialized (
      select e.* from unnest(${types}::text[]) t (event_type)
      cross join lateral (select e.id, e.event_type from audit_entries e
        where e.tenant_id = ${db.tenantId} and e.event_type = t.event_type and ${isInTimeRange(filters)} and ${before}
        order by e.id desc limit ${fragment.lit(each)}) e
    ), horizon as materialized (
      select max(last_id collate "C")::uuid as id from (
        select min(id::text collate "C") as last_id from looked group by event_type having count(*) = ${fragment.lit(each)}) h
    ), fit as materialized (
      select e.id, ${fragment.raw(entryJson)} as entry
      from (select l.id from looked l where (select h.id from horizon h) is null or l.id >= (select h.id from horizon h)) l
      join audit_entries e on e.tenant_id = ${db.tenantId} and e.id = l.id
      where ${isWanted(actor, filters)} order by e.id desc limit ${limit + 1})
    select f.id, ${entryFor(actor)} as entry, l.last_id
    from (select case when (select count(*) from fit) <= ${limit}::int then (select h.id from horizon h) end as last_id) l
    left join fit f on true ${sealFor(db, actor)} order by f.id desc`.compile(sql)
  return raw<FoundRow>(text, parameters)
}

const mostPerPage = 200

const maySeeSeals = (actor: Member): boolean => hasAuthority(actor, 'manager')

/** SQL that joins the seal `s` of a row `f`, and the seal `p` before it. Empty for actors who may not verify the trail. */
const sealFor = ({ tenantId }: Sql, actor: Member) =>
  maySeeSeals(actor)
    ? fragment`
    left join lateral (select x.seq, x.chain_hash from audit_seals x where x.tenant_id = ${tenantId} and x.entry_id = f.id limit 1) s on true
    left join lateral (select x.chain_hash from audit_seals x where x.tenant_id = ${tenantId} and x.seq = s.seq - 1 limit 1) p on true`
    : fragment``

/** SQL for the JSON of a row `f`, with its place in the chain if the actor may verify the trail and the entry is sealed. */
const entryFor = (actor: Member) =>
  maySeeSeals(actor)
    ? fragment`case when s.seq is null then f.entry else concat(left(f.entry, -1), ',"seq":', s.seq,
      ',"hash":"', encode(s.chain_hash, 'hex'), '","previous_hash":"', coalesce(encode(p.chain_hash, 'hex'), ${genesisHash}), '"}') end`
    : fragment`f.entry`

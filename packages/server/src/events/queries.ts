import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import type { EventPosition, EventRow } from './event-row.ts'
import { resumableMs } from './slots.ts'

/** The snapshot of a read, and the time of the database in milliseconds since 1970. */
export interface Moment {
  snapshot: string
  now: number
}

const moment = `pg_current_snapshot()::text as snapshot, (extract(epoch from clock_timestamp()) * 1000)::bigint as now`

// The place is that of all tenants, because no index has the last place of a tenant.
const start = `select ${moment}, coalesce(pg_sequence_last_value('event_places'), 0) as place,
  (select e.xact_id::text from events e where e.tenant_id = $1 order by e.xact_id desc limit 1) as "lastXactId"`

/** Returns the position after all rows of now. A reader that starts with it misses no row that is committed later. */
export async function findStart(db: Sql): Promise<EventPosition & Moment> {
  const { lastXactId, ...rest } = await db.one(
    raw<Moment & { place: number; lastXactId: string | null }>(start, [db.tenantId]),
  )
  return { ...rest, fromXactId: lastXactId === null ? '0' : xactIdAfter(lastXactId) }
}

/** Returns the id of the next transaction. Ids of transactions have 64 bits. */
const xactIdAfter = (xactId: string) => String(BigInt(xactId) + 1n)

/** Returns the position after rows that were read from the position `since`. `snapshot` is that of the read. */
export function positionAfterRead(since: EventPosition, rows: readonly EventRow[], snapshot: string): EventPosition {
  let { place, fromXactId } = since
  for (const row of rows) {
    place = Math.max(place, row.place)
    if (BigInt(row.xactId) >= BigInt(fromXactId)) fromXactId = xactIdAfter(row.xactId)
  }
  return { snapshot, place, fromXactId }
}

const rowJson = `json_build_object('id', e.id, 'place', e.place, 'xactId', e.xact_id::text, 'snapshot', e.snapshot::text,
  'at', wire_time(e.at), 'type', e.type, 'audience', e.audience, 'isAudited', e.is_audited, 'resourceType', e.resource_type,
  'resourceId', e.resource_id, 'agentId', e.agent_id, 'environmentId', e.environment_id, 'details', e.details)`

// The first condition on xact_id uses the index. Transactions below the xmin of a snapshot are visible in it. Rows of the position's own transaction
// are new if they have a higher place. `EventPosition` says why other rows with a higher place are new too.
const newRows = `
  select ${moment}, (
    select coalesce(json_agg(${rowJson} order by e.place), '[]') from (
      select * from events e
      where e.tenant_id = $1 and e.xact_id >= least(pg_snapshot_xmin($2::pg_snapshot), $8::xid8)
        and (e.place > $5
          or (not pg_visible_in_snapshot(e.xact_id, $2::pg_snapshot) and e.xact_id is distinct from $4::xid8))
        and ($3::pg_snapshot is null or pg_visible_in_snapshot(e.xact_id, $3::pg_snapshot))
        and e.place > $6
      order by e.place limit $7) e
  ) as rows`

export interface NewRows {
  /** The position from which the rows are new. */
  since: EventPosition
  /** Only rows that are visible in this snapshot. Null: all rows that are visible now. */
  until: string | null
  /** Only rows with a higher place: the last place of the page before. */
  afterPlace: number
  limit: number
}

/** Reads rows that are new since a position, in their order. */
export function findNewRows(db: Sql, { since, until, afterPlace, limit }: NewRows) {
  const { snapshot, place, fromXactId, ownXactId = null } = since
  return db.one(
    raw<Moment & { rows: EventRow[] }>(newRows, [
      db.tenantId,
      snapshot,
      until,
      ownXactId,
      place,
      afterPlace,
      limit,
      fromXactId,
    ]),
  )
}

const positionOfRow = `select e.snapshot::text as snapshot, e.xact_id::text as "xactId", e.place from events e
  where e.tenant_id = $1 and e.id = $2 and e.stored_at > now() - interval '${resumableMs} milliseconds'`

/** Returns the position right after a row. Returns undefined if the row is unknown, or too old to continue from it. */
export async function findPositionAfter(db: Sql, eventId: string): Promise<EventPosition | undefined> {
  const row = await db.maybe(
    raw<{ snapshot: string; xactId: string; place: number }>(positionOfRow, [db.tenantId, eventId]),
  )
  return row && { snapshot: row.snapshot, place: row.place, fromXactId: row.xactId, ownXactId: row.xactId }
}

/** Tells all instances that tenants have new rows. Must run outside a transaction that writes, because NOTIFY makes commits wait for one another. */
export async function notifyInstances(db: Sql, tenantIds: readonly string[]): Promise<void> {
  await db.all(raw(`select pg_notify('${eventChannel}', t) from unnest($1::text[]) t`, [tenantIds]))
}

/** The channel of PostgreSQL's NOTIFY. Its payload is the id of a tenant. */
export const eventChannel = 'mandate_events'

/** True if a stream of the tenant shows decisions, or did minutes ago. `now` is ISO 8601. */
export async function isListenedTo(db: Sql, now: string): Promise<boolean> {
  const text = 'select 1 from decision_listeners where tenant_id = $1 and until > $2'
  return (await db.maybe(raw(text, [db.tenantId, now]))) !== undefined
}

const listen = `insert into decision_listeners (tenant_id, until) values ($1, $2)
  on conflict (tenant_id) do update set until = greatest(decision_listeners.until, excluded.until)`

/** From now on, stored decisions of the tenant are written as events, until a time. */
export async function listenToDecisions(tx: Tx, until: string): Promise<void> {
  await tx.all(raw(listen, [tx.tenantId, until]))
}

import { createHash } from 'node:crypto'
import type { TestServer } from '../testing/start-test-server.ts'

// The server writes these columns in the background, some time after a credential was used. They are ignored, because such a
// write does not belong to the request that is tested.
const ignored = ['last_active_at', 'last_used_at']

/**
 * Returns a digest of all stored rows. If `tenantIds` is given, rows of other tenants are left out. If the digest is the same
 * before and after a request, the request wrote nothing.
 */
export async function fingerprint(server: TestServer, tenantIds?: readonly string[]): Promise<string> {
  const tables = await tablesOf(server)
  const condition = tenantIds ? 'where x.tenant_id = any ($1::uuid[])' : ''
  // Named statements are planned once. Planning takes longer than reading the few rows.
  const read = async (name: string, text: string) => {
    const values = text.includes('$1') ? [tenantIds] : []
    return (await server.owner.query({ name, text, values })).rows[0].all
  }
  const isFilled = tables.map(({ name, owned }) => `exists (select from ${name} x ${owned ? condition : ''})`)
  const filled: boolean[] = await read(`filled ${condition}`, `select array[${isFilled.join(', ')}] as all`)
  const parts = tables
    .filter((_, index) => filled[index])
    .map(({ name, owned, columns }) => (owned ? contentOf(name, columns, condition) : versionsOf(name)))
  if (parts.length === 0) return ''
  const text = `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`
  return await read(createHash('sha256').update(text).digest('hex').slice(0, 60), text)
}

interface Table {
  name: string
  /** True if the table has a `tenant_id` column. */
  owned: boolean
  columns: string
}

const knownTables = new WeakMap<TestServer, Promise<Table[]>>()

function tablesOf(server: TestServer): Promise<Table[]> {
  const known = knownTables.get(server) ?? findTables(server)
  knownTables.set(server, known)
  return known
}

/** Leaves out partitions, because their tables include their rows. */
async function findTables(server: TestServer): Promise<Table[]> {
  const { rows } = await server.owner.query<Table>(
    `select c.oid::regclass::text as name, bool_or(a.attname = 'tenant_id') as owned,
       string_agg(format('x.%I', a.attname), ', ' order by a.attnum) filter (where a.attname <> all ($1)) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace in ('public'::regnamespace, 'identity'::regnamespace, 'graphile_worker'::regnamespace)
     group by 1 order by 1`,
    [ignored],
  )
  return rows
}

/** Returns SQL for a digest of the rows of a table with a `tenant_id` column. */
function contentOf(table: string, columns: string, condition: string): string {
  return `select '${table}' as t, md5(coalesce(string_agg(r, '' order by r), '')) as h
    from (select row(${columns})::text as r from ${table} x ${condition}) x`
}

/**
 * Returns SQL for a text that every write to the table changes. It is used for tables without a `tenant_id` column. It contains
 * the number of rows and the newest transaction that wrote a row. A digest of the content would take longer and longer, because
 * the table grows with every test.
 */
function versionsOf(table: string): string {
  return `select '${table}' as t, count(*) || ' ' || coalesce(max(x.xmin::text::bigint), 0) as h from ${table} x`
}

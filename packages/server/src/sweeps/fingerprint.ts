import type { TestServer } from '../testing/start-test-server.ts'

// The server writes these columns in the background, some time after a credential was used. They are ignored, because such a
// write does not belong to the request that is tested.
const ignored = ['last_active_at', 'last_used_at']

/**
 * Returns a digest of all stored rows. If `tenantIds` is given, rows of other tenants are left out. If the digest is the same
 * before and after a request, the request wrote nothing.
 */
export async function fingerprint(server: TestServer, tenantIds?: readonly string[]): Promise<string> {
  const { rows } = await server.owner.query(await statementOf(server), [tenantIds ?? null])
  return rows[0].all
}

const statements = new WeakMap<TestServer, Promise<string>>()

function statementOf(server: TestServer): Promise<string> {
  const known = statements.get(server) ?? makeStatement(server)
  statements.set(server, known)
  return known
}

async function makeStatement(server: TestServer): Promise<string> {
  const { rows: tables } = await server.owner.query<{ name: string; owned: boolean; columns: string }>(
    `select format('%I.%I', t.schemaname, t.tablename) as name, bool_or(a.attname = 'tenant_id') as owned,
       string_agg(format('x.%I', a.attname), ', ' order by a.attnum) filter (where a.attname <> all ($1)) as columns
     from pg_tables t join pg_attribute a on a.attrelid = format('%I.%I', t.schemaname, t.tablename)::regclass
       and a.attnum > 0 and not a.attisdropped
     where t.schemaname in ('public', 'identity', 'graphile_worker') group by 1 order by 1`,
    [ignored],
  )
  const parts = tables.map(({ name, owned, columns }) => (owned ? contentOf(name, columns) : versionsOf(name)))
  return `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`
}

/** Returns SQL for a digest of the rows of a table with a `tenant_id` column. */
function contentOf(table: string, columns: string): string {
  return `select '${table}' as t, md5(coalesce(string_agg(r, '' order by r), '')) as h
    from (select row(${columns})::text as r from ${table} x where $1::uuid[] is null or tenant_id = any ($1)) x`
}

/**
 * Returns SQL for a text that every write to the table changes. It is used for tables without a `tenant_id` column. It contains
 * the number of rows and the newest transaction that wrote a row. A digest of the content would take longer and longer, because
 * the table grows with every test.
 */
function versionsOf(table: string): string {
  return `select '${table}' as t, count(*) || ' ' || coalesce(max(x.xmin::text::bigint), 0) as h from ${table} x`
}

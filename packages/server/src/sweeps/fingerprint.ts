import type { TestServer } from '../testing/start-test-server.ts'

// The server writes these columns in the background, some time after a credential was used. They are ignored, because such a
// write does not belong to the request that is tested.
const ignored = ['last_active_at', 'last_used_at']

/**
 * Returns a digest of all stored rows. If `tenantIds` is given, rows of other tenants are left out. If the digest is the same
 * before and after a request, the request wrote nothing.
 */
export async function fingerprint(server: TestServer, tenantIds?: readonly string[]): Promise<string> {
  const { rows } = await server.owner.query(await statementOf(server), [ignored, tenantIds ?? null])
  return rows[0].all
}

const statements = new WeakMap<TestServer, Promise<string>>()

function statementOf(server: TestServer): Promise<string> {
  const known = statements.get(server) ?? makeStatement(server)
  statements.set(server, known)
  return known
}

async function makeStatement(server: TestServer): Promise<string> {
  const { rows: tables } = await server.owner.query<{ name: string; owned: boolean }>(
    `select format('%I.%I', schemaname, tablename) as name, exists (select from pg_attribute a
         where a.attrelid = format('%I.%I', schemaname, tablename)::regclass and a.attname = 'tenant_id') as owned
       from pg_tables where schemaname in ('public', 'identity', 'graphile_worker') order by 1`,
  )
  const parts = tables.map(({ name, owned }) => (owned ? contentOf(name) : versionsOf(name)))
  return `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`
}

/** Returns SQL for a digest of the rows of a table with a `tenant_id` column. */
function contentOf(table: string): string {
  const row = '(to_jsonb(x) - $1::text[])::text'
  return `select '${table}' as t, md5(coalesce(string_agg(${row}, '' order by x::text), '')) as h
    from ${table} x where $2::uuid[] is null or tenant_id = any ($2)`
}

/**
 * Returns SQL for a digest of the row versions of a table without a `tenant_id` column. Every write creates a new row version
 * and so changes the digest. A digest of the content would take longer and longer, because the table grows with every test.
 */
function versionsOf(table: string): string {
  const versions = `string_agg(x.ctid::text || x.xmin::text, '' order by x.ctid)`
  return `select '${table}' as t, md5(coalesce(${versions}, '')) as h from ${table} x`
}

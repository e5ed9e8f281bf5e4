import type { TestServer } from '../testing/start-test-server.ts'

// The server writes these columns in the background, some time after a credential was used. They are ignored, because such a
// write does not belong to the request that is tested.
const ignored = ['last_active_at', 'last_used_at']

/**
 * Returns a digest of all stored rows. If `tenantIds` is given, rows of other tenants are left out. If the digest is the same
 * before and after a request, the request wrote nothing.
 */
export async function fingerprint(server: TestServer, tenantIds?: readonly string[]): Promise<string> {
  const ofTenants = tenantIds !== undefined
  const text = (await statementsOf(server))[ofTenants ? 'ofTenants' : 'ofAll']
  // A named statement is planned once. Planning takes longer than reading the few rows.
  const name = `fingerprint ${ofTenants}`
  const { rows } = await server.owner.query({ name, text, values: ofTenants ? [tenantIds] : [] })
  return rows[0].all
}

interface Statements {
  ofAll: string
  ofTenants: string
}

const statements = new WeakMap<TestServer, Promise<Statements>>()

function statementsOf(server: TestServer): Promise<Statements> {
  const known = statements.get(server) ?? makeStatements(server)
  statements.set(server, known)
  return known
}

/** Leaves out partitions, because their tables include their rows. */
async function makeStatements(server: TestServer): Promise<Statements> {
  const { rows: tables } = await server.owner.query<{ name: string; owned: boolean; columns: string }>(
    `select c.oid::regclass::text as name, bool_or(a.attname = 'tenant_id') as owned,
       string_agg(format('x.%I', a.attname), ', ' order by a.attnum) filter (where a.attname <> all ($1)) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace in ('public'::regnamespace, 'identity'::regnamespace, 'graphile_worker'::regnamespace)
     group by 1 order by 1`,
    [ignored],
  )
  const joined = (condition: string) => {
    const parts = tables.map(({ name, owned, columns }) =>
      owned ? contentOf(name, columns, condition) : versionsOf(name),
    )
    return `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`
  }
  return { ofAll: joined(''), ofTenants: joined('where x.tenant_id = any ($1::uuid[])') }
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

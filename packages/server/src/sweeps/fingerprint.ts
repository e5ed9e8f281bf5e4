import type { TestServer } from '../testing/start-test-server.ts'

// Written behind by mere use, which is not a write of the request.
const ignored = ['last_active_at', 'last_used_at']

/** A digest of everything stored, of these tenants alone or of all: equal before and after means that nothing was written. */
export async function fingerprint(server: TestServer, tenantIds?: readonly string[]): Promise<string> {
  const { rows: tables } = await server.owner.query<{ name: string; owned: boolean }>(
    `select format('%I.%I', schemaname, tablename) as name, exists (select from pg_attribute a
         where a.attrelid = format('%I.%I', schemaname, tablename)::regclass and a.attname = 'tenant_id') as owned
       from pg_tables where schemaname in ('public', 'identity', 'graphile_worker') order by 1`,
  )
  const parts = tables.map(({ name, owned }) => {
    const rows = `select '${name}' as t, md5(coalesce(string_agg((to_jsonb(x) - $1::text[])::text, '' order by x::text), '')) as h`
    return `${rows} from ${name} x ${owned ? 'where $2::uuid[] is null or tenant_id = any ($2)' : ''}`
  })
  const text = `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`
  return (await server.owner.query(text, [ignored, tenantIds ?? null])).rows[0].all
}

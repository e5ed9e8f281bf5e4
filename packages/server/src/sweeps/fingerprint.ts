import type { TestServer } from '../testing/start-test-server.ts'

// Written behind by mere use, which is not a write of the request.
const ignored = ['last_active_at', 'last_used_at']

/** A digest of everything stored: equal before and after means that nothing was written. */
export async function fingerprint(server: TestServer): Promise<string> {
  const { rows: tables } = await server.owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'identity', 'graphile_worker')
     order by 1`,
  )
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as t, md5(coalesce(string_agg((to_jsonb(x) - $1::text[])::text, '' order by x::text), '')) as h from ${name} x`,
  )
  const { rows } = await server.owner.query(
    `select string_agg(t || h, ',' order by t) as all from (${parts.join(' union all ')}) p`,
    [ignored],
  )
  return rows[0].all
}

import { describe, expect, it } from 'vitest'
import { useTestServer } from '../../testing/use-test-server.ts'
import { globalLookups } from './second-wall.ts'

const server = useTestServer()

/** SQL that selects the tables with a `tenant_id`, except the global look-up tables. */
const tenantTables = `select c.oid, c.relname from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)`
const referenceTables = ['plans']

const rows = async (text: string, values: unknown[] = [globalLookups]) => (await server.owner.query(text, values)).rows

describe('the schema can be sharded by tenant without changes', () => {
  it('every tenant table has a primary key, and tenant_id is the first column of each primary key and unique index', async () => {
    const indexes = await rows(
      `select t.relname as table, i.relname as index,
         (select attname from pg_attribute where attrelid = t.oid and attnum = x.indkey[0]) as leads
       from (${tenantTables}) t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
       where x.indisunique or x.indisprimary`,
    )
    expect(indexes.length).toBeGreaterThan(30)
    expect(indexes.filter(({ leads }) => leads !== 'tenant_id')).toEqual([])
    const without = await rows(
      `select t.relname from (${tenantTables}) t
       where not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'p')`,
    )
    expect(without).toEqual([])
  })

  it('foreign keys refer only to (tenant_id, …) of another tenant table, to the tenant, or to a reference table', async () => {
    const keys = await rows(
      `select k.conrelid::regclass::text as from, k.confrelid::regclass::text as to,
         array(select a.attname::text from unnest(k.conkey) with ordinality c (num, at)
           join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.num order by c.at) as columns,
         array(select a.attname::text from unnest(k.confkey) with ordinality c (num, at)
           join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.num order by c.at) as referenced
       from pg_constraint k where k.contype = 'f'
         and (k.conrelid in (select oid from (${tenantTables}) t) or k.conrelid = 'tenants'::regclass)`,
    )
    expect(keys.length).toBeGreaterThan(20)
    const strays = keys.filter(({ to, columns, referenced }) => {
      if (referenceTables.includes(to)) return false
      const toTenant = to === 'tenants' && String(columns) === 'tenant_id' && String(referenced) === 'id'
      return !toTenant && !(columns[0] === 'tenant_id' && referenced[0] === 'tenant_id')
    })
    expect(strays).toEqual([])
  })

  it('no foreign key sets a column to null or a default; the application does it in the transaction', async () => {
    const keys = await rows(
      `select k.conname from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace
         and (k.confdeltype in ('n', 'd') or k.confupdtype in ('n', 'd', 'c'))`,
      [],
    )
    expect(keys).toEqual([])
  })

  it('global look-ups have no foreign keys in either direction', async () => {
    const keys = await rows(
      `select k.conname from pg_constraint k join pg_class c on c.oid in (k.conrelid, k.confrelid)
       where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and c.relname = any ($1)`,
    )
    expect(keys).toEqual([])
    const existing = await rows(`select relname from pg_class where relname = any ($1) and relkind = 'r'`)
    expect(existing).toHaveLength(globalLookups.length)
  })

  it('no tenant table has a trigger', async () => {
    const triggers = await rows(
      `select t.tgname, t.tgrelid::regclass::text as table from pg_trigger t
       where not t.tgisinternal and (t.tgrelid in (select oid from (${tenantTables}) x) or t.tgrelid = 'tenants'::regclass)`,
    )
    expect(triggers).toEqual([])
  })

  it('no column of a tenant table has a volatile default or a sequence', async () => {
    const defaults = await rows(
      `select t.relname, pg_get_expr(d.adbin, d.adrelid) as expression from (${tenantTables}) t
       join pg_attrdef d on d.adrelid = t.oid
       join pg_attribute a on a.attrelid = t.oid and a.attnum = d.adnum and a.attgenerated = ''
       where pg_get_expr(d.adbin, d.adrelid) ~ '\\('`,
    )
    expect(defaults).toEqual([])
  })
})

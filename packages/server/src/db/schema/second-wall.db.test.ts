import { beforeAll, describe, expect, it } from 'vitest'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { type Sql, sqlState } from '../database.ts'
import { newId } from '../ids/new-id.ts'
import { named, raw } from '../statements/statement.ts'
import { findGapsInSecondWall, globalLookups } from './second-wall.ts'

const [ours, theirs] = [newId(), newId()]
const appendOnly = ['audit_entries', 'audit_seals', 'audit_checkpoints', 'audit_heads']

const server = useOwnServer()
let tables: string[]
let asUs: Sql

beforeAll(async () => {
  tables = await tenantTables()
  for (const table of tables) for (const tenantId of [ours, theirs]) await plantRow(table, tenantId)
  asUs = server.services.db.reader(ours)
})

const rows = async (text: string, values: unknown[] = []) => (await server.owner.query(text, values)).rows
const tenantColumn = (table: string) => (table === 'tenants' ? 'id' : 'tenant_id')

async function tenantTables(): Promise<string[]> {
  const found = await rows(
    `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and (c.relname = 'tenants' or exists (select from pg_attribute a
         where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
       and c.relname <> all ($1) order by c.relname`,
    [globalLookups],
  )
  return found.map(({ relname }) => relname)
}

async function storedColumns(table: string): Promise<string[]> {
  const found = await rows(
    `select quote_ident(attname) as attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  return found.map(({ attname }) => attname)
}

/** Inserts a row into any table, with values that fit the types and check constraints. Foreign keys are not checked. */
async function plantRow(table: string, tenantId: string): Promise<void> {
  const columns = await rows(
    `select quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type,
       (select substring(pg_get_constraintdef(k.oid) from '''([^'']+)''') from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]) as allowed
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull
       and a.attgenerated = ''`,
    [table],
  )
  const values = columns.map(({ name, type, allowed }) =>
    name === tenantColumn(table)
      ? tenantId
      : (allowed ?? (type === 'integer' && name.endsWith('retention_days') ? '90' : sampleOf(type))),
  )
  const client = await server.owner.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query(
      `insert into ${table} (${columns.map(({ name }) => name).join()}) values (${values.map((_, at) => `$${at + 1}`).join()})`,
      values,
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

function sampleOf(type: string): unknown {
  if (type === 'uuid') return newId()
  if (type.startsWith('timestamp')) return new Date().toISOString()
  if (type === 'jsonb') return '{}'
  if (type.endsWith('[]')) return []
  if (type === 'bytea') return Buffer.from([1])
  if (type === 'boolean') return false
  if (type === 'pg_snapshot') return '1:1:'
  return type === 'text' ? 'sample' : 1
}

const refusalOf = async (statement: string) => {
  const failed = await server.services.db
    .transaction(ours, async (tx) => {
      const { rows: touched } = await tx.query(statement)
      return touched
    })
    .catch((error: unknown) => error)
  return sqlState(failed) ?? failed
}
const insufficientPrivilege = '42501'

describe('row-level security on every tenant table', () => {
  it('covers every table, and the server finds no gap', async () => {
    expect(tables).toContain('tenants')
    expect(tables).toContain('audit_entries')
    expect(tables.length).toBeGreaterThan(25)
    expect(await findGapsInSecondWall(asUs)).toEqual([])
  })

  it('a statement without a where clause reads only the tenant’s own rows, in every table', async () => {
    for (const table of tables) {
      const read = await asUs.all(raw<{ of: string }>(`select ${tenantColumn(table)} as of from ${table}`, []))
      expect([table, ...read.map((row) => row.of)]).toEqual([table, ours])
    }
  })

  it('a statement for another tenant’s rows finds none, and neither does one without a tenant', async () => {
    for (const table of tables) {
      const column = tenantColumn(table)
      expect(await asUs.all(raw(`select 1 from ${table} where ${column} = $1`, [theirs]))).toEqual([])
      expect(await server.services.db.global.all(raw(`select 1 from ${table}`, []))).toEqual([])
    }
  })

  it('an insert for another tenant is refused, in every table', async () => {
    for (const table of tables) {
      const renamed = `jsonb_populate_record(t, jsonb_build_object('${tenantColumn(table)}', '${theirs}'))`
      const columns = await storedColumns(table)
      const values = columns.map((column) => `(${renamed}).${column}`)
      expect([table, await refusalOf(`insert into ${table} (${columns}) select ${values} from ${table} t`)]).toEqual([
        table,
        insufficientPrivilege,
      ])
    }
  })

  it('a row cannot be moved to another tenant, and another tenant’s rows cannot be changed or deleted', async () => {
    for (const table of tables.filter((name) => !appendOnly.includes(name))) {
      const column = tenantColumn(table)
      expect([table, await refusalOf(`update ${table} set ${column} = '${theirs}'`)]).toEqual([
        table,
        insufficientPrivilege,
      ])
      expect(await refusalOf(`delete from ${table} where ${column} = '${theirs}' returning 1`)).toEqual([])
    }
    for (const table of tables) {
      const kept = await rows(`select 1 from ${table} where ${tenantColumn(table)} = $1`, [theirs])
      expect([table, kept.length]).toEqual([table, 1])
    }
  })

  it('connections never keep the tenant of an earlier statement', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => (at % 2 ? ours : theirs))
    const count = raw<{ tenant_id: string }>('select tenant_id from users', [])
    const read = await Promise.all(
      ids.flatMap((id) => [
        server.services.db.reader(id).all(count),
        server.services.db.transaction(id, (tx) => tx.all(count)),
      ]),
    )
    expect(read.map(([row]) => row?.tenant_id)).toEqual(ids.flatMap((id) => [id, id]))
  })
})

describe('agents_named_like, which searches names as a role of its own', () => {
  const named = (sql: Sql, part: string, tenantId = '') =>
    sql.all(
      raw<{ tenant_id: string }>(
        `select a.tenant_id from agents_named_like($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 9) id
         left join agents a using (id) where $2 in ('', a.tenant_id::text)`,
        [part, tenantId],
      ),
    )

  it('finds only the tenant’s own agents, and none without a tenant', async () => {
    expect(await rows(`select tenant_id from agents where name = 'sample' order by 1`)).toHaveLength(2)
    for (const part of ['sample', 'amp', 'AM', 'a', 'pl']) {
      expect(await named(asUs, part)).toEqual([{ tenant_id: ours }])
      expect(await named(asUs, part, theirs)).toEqual([])
      expect(await named(server.services.db.global, part)).toEqual([])
    }
  })

  it('finds no agent of another tenant with the same id suffix', async () => {
    const twin = `${theirs.slice(0, -8)}${ours.slice(-8)}`
    await plantRow('agents', twin)
    expect(await named(asUs, 'sample')).toEqual([{ tenant_id: ours }])
    await rows('delete from agents where tenant_id = $1', [twin])
  })

  it('its role can read names and nothing else', async () => {
    const granted = await rows(
      `select table_name, column_name, privilege_type from information_schema.column_privileges
       where grantee = 'mandate_search' order by 2`,
    )
    expect(granted).toEqual(
      ['id', 'name', 'tenant_id'].map((column) => ({
        table_name: 'agents',
        column_name: column,
        privilege_type: 'SELECT',
      })),
    )
    const [role] = await rows(
      `select rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb as strong,
         (select count(*)::int from pg_class c where c.relowner = r.oid) as owns,
         has_schema_privilege('mandate_search', 'public', 'create') as makes
       from pg_roles r where rolname = 'mandate_search'`,
    )
    expect(role).toEqual({ strong: false, owns: 0, makes: false })
    expect(
      await rows(`select 1 where has_function_privilege('public', 'agents_named_like(text,uuid,integer)', 'execute')`),
    ).toEqual([])
  })
})

describe("the application's role", () => {
  it.each(appendOnly)('cannot update, delete or empty %s', async (table) => {
    for (const statement of [
      `update ${table} set tenant_id = tenant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      expect(await refusalOf(statement)).toBe(insufficientPrivilege)
    }
  })

  it('cannot switch row-level security off: it owns no table and may not alter one', async () => {
    for (const statement of [
      'alter table users disable row level security',
      'alter table users no force row level security',
      'drop policy own_tenant on users',
      'create policy everything on users using (true)',
      'create table public.mine (id int)',
      'create policy mine on agents to mandate_app using (true)',
      'alter function agents_named_like security invoker',
      'set local session_replication_role = replica',
    ]) {
      expect([statement, await refusalOf(statement)]).toEqual([statement, insufficientPrivilege])
    }
  })
})

describe('findGapsInSecondWall', () => {
  it('names a table whose row-level security is off, not forced, or without a policy', async () => {
    const breaks = [
      ['reports', 'alter table reports disable row level security', 'alter table reports enable row level security'],
      ['agents', 'alter table agents no force row level security', 'alter table agents force row level security'],
      ['newcomers', 'create table newcomers (tenant_id uuid primary key)', 'drop table newcomers'],
    ] as const
    for (const [table, breakIt, mend] of breaks) {
      await rows(breakIt)
      expect(await findGapsInSecondWall(asUs)).toEqual([`table ${table} has no row-level security`])
      await rows(mend)
    }
    expect(await findGapsInSecondWall(asUs)).toEqual([])
  })

  it('names a function that runs with rights that are not its caller’s', async () => {
    await rows(
      'create function peek() returns bigint language sql security definer return (select count(*) from agents)',
    )
    expect(await findGapsInSecondWall(asUs)).toEqual(["function peek runs with rights that are not its caller's"])
    await rows('drop function peek')
    expect(await findGapsInSecondWall(asUs)).toEqual([])
  })

  it('names a role that bypasses row-level security', async () => {
    const all = async (statement: Parameters<typeof named>[0]) =>
      await rows(named(statement).text, named(statement).values)
    const asOwner = { tenantId: '', all } as unknown as Sql
    const [{ name }] = await rows('select current_user as name')
    expect(await findGapsInSecondWall(asOwner)).toEqual([`role ${name} bypasses row-level security`])
  })
})

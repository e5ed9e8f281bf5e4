import { connectionConfig } from '../connections/connection-config.ts'
import { SessionClient } from '../connections/session-client.ts'

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  defaulted: boolean
  /** True if the column is computed by PostgreSQL (a generated column). */
  computed: boolean
  /** The check constraint that covers only this column, if there is one. */
  check: string | null
}

const typeNames: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  bool: 'boolean',
  int4: 'number',
  int8: 'number',
  xid8: 'string',
  pg_snapshot: 'string',
  timestamptz: 'string',
  bytea: 'Buffer',
  _int4: 'number[]',
  _text: 'string[]',
  _uuid: 'string[]',
  jsonb: 'Json',
}

/**
 * Writes TypeScript types of the public schema for the query builder. If a check constraint limits a column to a list of
 * values, its type is a union of these values.
 */
export async function generateTypes(url: string): Promise<string> {
  const client = new SessionClient(connectionConfig(url))
  await client.connect()
  try {
    const { rows } = await client.query<Column>(columnsOfPublicSchema)
    return render(rows)
  } finally {
    await client.end()
  }
}

function render(columns: Column[]): string {
  const tables = Map.groupBy(columns, (column) => column.table)
  const lines = [
    '// Generated from the migrations by `npm run generate`. Do not edit.',
    "import type { ColumnType, Generated, GeneratedAlways } from 'kysely'",
    '',
    '/** The type of a JSON column. The driver parses JSON when it reads the column. To write the column, pass JSON text. */',
    'export type Json = ColumnType<any, string, string>',
    '',
    'export interface DB {',
  ]
  for (const [table, its] of tables) {
    lines.push(`  ${table}: {`, ...its.map((column) => `    ${column.name}: ${columnType(column)}`), '  }')
  }
  return [...lines, '}', ''].join('\n')
}

function columnType(column: Column): string {
  const values = column.check?.match(/'([^']+)'::text/g)?.map((value) => value.slice(0, -6))
  const base = values ? values.join(' | ') : typeNames[column.type]
  if (base === undefined) throw new Error(`no TypeScript type for ${column.type} (${column.table}.${column.name})`)
  const type = column.nullable ? `${base} | null` : base
  if (column.computed) return `GeneratedAlways<${type}>`
  return column.defaulted ? `Generated<${type}>` : type
}

const columnsOfPublicSchema = `
  select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable, a.atthasdef as defaulted,
    a.attgenerated <> '' as computed,
    (select pg_get_constraintdef(k.oid) from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] limit 1) as check
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname, a.attnum`

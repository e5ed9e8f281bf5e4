import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

export interface PatternRow {
  id: string
  name: string
  group: string
  kind: 'regex' | 'words'
  expression: string | null
  words: string[] | null
  created_at: string
}

const columns = `id, name, group_name as "group", kind, expression, words, created_at`
const inOrder = `select ${columns} from content_patterns where tenant_id = $1 order by id`

/** Returns the patterns of the tenant, in the order of their creation. */
export function findPatterns(db: Sql): Promise<PatternRow[]> {
  return db.all(raw<PatternRow>(inOrder, [db.tenantId]))
}

export function findPatternById(db: Sql, id: string) {
  return db.maybe(
    raw<PatternRow>(`select ${columns} from content_patterns where tenant_id = $1 and id = $2`, [db.tenantId, id]),
  )
}

const values = (tx: Tx, { id, name, group, kind, expression, words }: PatternRow) => [
  tx.tenantId,
  id,
  name,
  group,
  kind,
  expression,
  words,
]

export async function insertPattern(tx: Tx, row: PatternRow): Promise<void> {
  const text = `insert into content_patterns (tenant_id, id, name, group_name, kind, expression, words, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`
  await tx.all(raw(text, [...values(tx, row), row.created_at]))
}

export async function updatePatternRow(tx: Tx, row: PatternRow): Promise<void> {
  const text = `update content_patterns set name = $3, group_name = $4, kind = $5, expression = $6, words = $7
    where tenant_id = $1 and id = $2`
  await tx.all(raw(text, values(tx, row)))
}

export async function deletePatternRow(tx: Tx, id: string): Promise<void> {
  await tx.all(raw('delete from content_patterns where tenant_id = $1 and id = $2', [tx.tenantId, id]))
}

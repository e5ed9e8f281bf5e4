import type { RawBuilder } from 'kysely'
import { shapedStatement } from '../../db/shaped-statement.ts'
import type { RawStatement } from '../../db/statement.ts'

export type Shaped<Row> = (values: Record<string, unknown>) => RawStatement<Row>

const known = new Map<string, Shaped<never>>()

/** The statement of that key, built the first time. All that its text depends on is in the key. */
export function shape<Row>(key: string, build: () => RawBuilder<Row>): Shaped<Row> {
  let found = known.get(key) as Shaped<Row> | undefined
  if (!found) {
    found = shapedStatement(build())
    known.set(key, found as Shaped<never>)
  }
  return found
}

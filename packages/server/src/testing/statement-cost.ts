import pg from 'pg'
import type { Sql } from '../db/database.ts'
import { type NamedStatement, named, type Statement } from '../db/statements/statement.ts'
import type { TestServer } from './start-test-server.ts'

/** How much PostgreSQL reads for the statements that a function runs. */
export interface Cost {
  /** Number of pages of tables and indexes that were read, from the cache or from disk. */
  buffers: number
  /** The query plans of the statements that the function ran. They are shown if a test fails. */
  plans: unknown[]
}

/** `generic` plans do not depend on the values. PostgreSQL may use them from the sixth run of a prepared statement. */
export type PlanMode = 'generic' | 'custom'

/**
 * Runs a function as a tenant. Each statement runs twice: once for its result, and once to count the pages that it reads.
 */
export async function costOf(
  server: TestServer,
  tenantId: string,
  work: (sql: Sql) => Promise<unknown>,
  mode: PlanMode = 'custom',
): Promise<Cost> {
  const cost: Cost = { buffers: 0, plans: [] }
  await server.services.db.transaction(tenantId, async (tx) => {
    await tx.query(`set local plan_cache_mode = force_${mode}_plan`)
    let running: Promise<unknown> = Promise.resolve()
    const run = async <Row>(statement: Statement<Row>): Promise<Row[]> => {
      const answer = running.then(async () => {
        const rows = (await tx.all(statement)) as Row[]
        const { plan, buffers } = await explain(tx, named(statement))
        cost.buffers += buffers
        cost.plans.push(plan)
        return rows
      })
      running = answer.catch(() => {})
      return await answer
    }
    await work({
      tenantId,
      all: run,
      maybe: async (statement) => (await run(statement))[0],
      one: async (statement) => (await run(statement))[0]!,
    } as Sql)
  })
  return cost
}

type Queries = Parameters<Parameters<TestServer['services']['db']['transaction']>[1]>[0]

async function explain(tx: Queries, { text, values }: NamedStatement) {
  await tx.query(`prepare measured as ${text}`)
  const literals = values.map((value) => literalOf(value)).join(', ')
  const call = values.length > 0 ? `measured(${literals})` : 'measured'
  const { rows } = await tx.query(`explain (analyze, buffers, timing off, format json) execute ${call}`)
  await tx.query('deallocate measured')
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return { plan, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return `'${value}'`
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(elementOf).join(',')}}`)
  throw new Error(`a value of the type ${typeof value} cannot be written as an SQL literal`)
}

const elementOf = (value: unknown) =>
  typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value ?? 'null')

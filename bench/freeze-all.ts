// Measures the start and the end of a freeze of an organization: `BENCH_DATA=folder node bench/freeze-all.ts`. The folder is the database that
// `npm run bench:screens` kept, with 250,000 agents. Prints the time, the write-ahead log and the rows that each request writes. No edge is
// connected. The first freeze ends the pending approvals, and they stay ended.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Fleet } from './seed-fleet.ts'
import { startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const kept = process.env.BENCH_DATA
if (kept === undefined) throw new Error('BENCH_DATA: name the folder of a database that bench/screens.ts kept')
const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
/** A connection of PostgreSQL reports what it wrote after at most this time without a statement. */
const reportedMs = 12_000
const port = 18_084
const url = `http://127.0.0.1:${port}/api/v1`

const fleet = (JSON.parse(readFileSync(join(kept, 'fleets.json'), 'utf8')) as Fleet[])[1]
if (fleet === undefined) throw new Error(`${kept} has no large tenant`)
const { key, agentIds } = fleet
const database = await startDatabase({ max_wal_size: '8GB' }, undefined, kept)
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const server = startMandate(database, port)
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  console.log(`${agentIds.length} agents; preview:`, await preview())
  if (process.env.BENCH_ONLY !== 'preview') await measureRounds()
} finally {
  server.kill('SIGTERM')
  await new Promise((resolve) => server.once('exit', resolve))
  await client.end()
  await database.stop()
}

async function measureRounds(): Promise<void> {
  await pause(reportedMs)
  console.log('| request | ms | WAL, bytes | rows written |\n|---|---|---|---|')
  await measure('nothing for the same time', () => pause(50))
  for (let round = 0; round < rounds; round++) {
    const { id } = await measure('POST /freezes', () =>
      send('POST', '/freezes', { scope: 'organization', reason: 'bench' }),
    )
    await measure('POST /freezes/{id}/lift', () => send('POST', `/freezes/${id}/lift`, { reason: 'bench' }))
  }
}

async function preview() {
  const started = performance.now()
  const counts = await send('GET', '/freezes/preview?scope=organization')
  return { ...counts, ms: Math.round(performance.now() - started) }
}

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
async function send(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} returned status ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** Prints what a request takes and writes. The background jobs of the server write meanwhile too. */
async function measure<T>(name: string, request: () => Promise<T>): Promise<T> {
  const before = await written()
  const started = performance.now()
  const answer = await request()
  const ms = performance.now() - started
  const { lsn } = await written()
  await pause(reportedMs)
  const after = await written()
  const rows = [...after.rows].flatMap(([table, count]) => {
    const more = count - (before.rows.get(table) ?? 0)
    return more > 0 ? [`${table} ${more}`] : []
  })
  console.log(`| ${name} | ${ms.toFixed(1)} | ${lsn - before.lsn} | ${rows.join(', ')} |`)
  return answer
}

/** The position of the write-ahead log in bytes, and the rows that were written to each table so far. */
async function written(): Promise<{ lsn: number; rows: Map<string, number> }> {
  const { rows } = await client.query<{ lsn: string; name: string; written: string }>(
    `select pg_current_wal_insert_lsn() - '0/0' as lsn, relname as name, n_tup_ins + n_tup_upd + n_tup_del as written
     from pg_stat_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0`,
  )
  return { lsn: Number(rows[0]?.lsn ?? 0), rows: new Map(rows.map(({ name, written }) => [name, Number(written)])) }
}

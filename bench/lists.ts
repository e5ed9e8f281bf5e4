// Measures lists and other requests that read many rows: `npm run bench:lists`. Compares a tenant of 2,000 agents with a tenant of
// 250,000 agents, a million audit entries and a million recorded decisions. Sends one request at a time over one connection.
import pg from 'pg'
import { changeMany } from './cases/change-many.ts'
import { agentCases, type Case, changedCases, namedCases, overviewCases, recordCases } from './cases/list-cases.ts'
import { timeInTurns } from './measure/time-in-turns.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'
import { seedDecisions, seedRecords } from './seed-records.ts'
import { startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const sizes = [2_000, Number(process.env.BENCH_AGENTS ?? 250_000)] as const
/** Number of audit entries, and of recorded decisions, of the large tenant. The small tenant has the same number per agent. */
const records = Number(process.env.BENCH_RECORDS ?? 1_000_000)
const requests = Number(process.env.BENCH_REQUESTS ?? 60)
const warmUp = 12
const only = process.env.BENCH_ONLY
const goal = 1.3
const port = 18_082
const url = `http://127.0.0.1:${port}/api/v1`

const database = await startDatabase()
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const fleets = await seedFleets({ quiet: false })
const quietFleets = await seedFleets({ quiet: true })
for (const fleet of fleets) {
  await seedRecords(client, fleet, recordsOf(fleet))
  await seedDecisions(client, fleet, recordsOf(fleet).entries)
}
await client.query('vacuum analyze')
const server = startMandate(database, port)
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  await compareAll('agents', agentCases)
  await compareAll('records', recordCases)
  await compareAll('names', namedCases)
  await compareAll('overview, from the first request on', overviewCases, 0)
  await changeMany(client, fleets)
  await compareAll('after a mass update, without a vacuum, from the first request on', changedCases, 0)
} finally {
  server.kill('SIGKILL')
  await client.end()
  await database.stop()
}

async function seedFleets(options: { quiet: boolean }): Promise<readonly [Fleet, Fleet]> {
  return [await seedFleet(client, sizes[0], options), await seedFleet(client, sizes[1], options)]
}

function recordsOf({ agentIds }: Fleet) {
  const share = agentIds.length / sizes[1]
  const [entries, approvals, policies] = [records, records / 10, sizes[1] / 50].map((count) => Math.ceil(count * share))
  return { entries: entries!, approvals: approvals!, policies: policies! }
}

async function compareAll(title: string, cases: readonly Case[], before = warmUp): Promise<void> {
  console.log(`\n${title}: median and worst of ${requests} requests, milliseconds`)
  console.log(
    `| request | found | ${sizes[0]} agents | worst | ${sizes[1]} agents | worst | growth |\n|---|---|---|---|---|---|---|`,
  )
  for (const one of cases.filter(({ name }) => !only || name.includes(only))) console.log(await compare(one, before))
}

async function compare(one: Case, before: number): Promise<string> {
  const pair = one.quiet ? quietFleets : fleets
  const { found, cells, growth } = await timeInTurns((at) => send(one, pair[at]), { before, counted: requests })
  return `| ${[one.name, found, ...cells].join(' | ')} | ${growth.toFixed(2)}${growth < goal ? '' : ' (!)'} |`
}

/** Sends one request. `found` is the number of rows in a list, or of decisions that a replay read. */
async function send(one: Case, fleet: Fleet): Promise<{ ms: number; found: number }> {
  const { path, method = 'GET', body, status = 200, key = 'key' } = one
  const headers = { authorization: `Bearer ${fleet[key]}`, ...(body && { 'content-type': 'application/json' }) }
  const target = `${url}${typeof path === 'string' ? path : path(fleet)}`
  const started = performance.now()
  const answer = await fetch(target, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  const ms = performance.now() - started
  if (answer.status !== status) throw new Error(`${one.name} returned status ${answer.status}: ${text}`)
  const { data, replay } = JSON.parse(text) as { data?: unknown[]; replay?: { decisions: number } }
  return { ms, found: data?.length ?? replay?.decisions ?? 0 }
}

// Measures the requests of the dashboard's screens: `npm run bench:screens`. Compares a tenant of 1,000 agents and 100,000 decisions with a
// tenant of 250,000 agents and 20 million decisions of 29 days. Sends one request at a time over one connection. Also measures how long it
// takes to drop the partition of a day.
import pg from 'pg'
import { median, startDatabase, startMandate, untilUp } from './real-server.ts'
import { decisionCases, type ScreenCase } from './screen-cases.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'
import { seedDecisions, seedRecords } from './seed-records.ts'

const agents = [1_000, Number(process.env.BENCH_AGENTS ?? 250_000)] as const
const decisions = [100_000, Number(process.env.BENCH_DECISIONS ?? 20_000_000)] as const
const requests = Number(process.env.BENCH_REQUESTS ?? 40)
const warmUp = 10
const only = process.env.BENCH_ONLY
const usualGoal = 1.3
const slowMs = 50
const port = 18_083
const url = `http://127.0.0.1:${port}/api/v1`

const database = await startDatabase({ max_wal_size: '8GB' })
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const fleets = [await seed(0), await seed(1)] as const
await client.query('vacuum analyze')
const server = startMandate(database, port)
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  console.log(`median and worst of ${requests} requests, milliseconds`)
  console.log(
    `| screen | request | found | ${agents[0]} agents, ${decisions[0]} decisions | worst | ${agents[1]} agents, ${decisions[1]} decisions | worst | growth |\n|---|---|---|---|---|---|---|---|`,
  )
  for (const one of decisionCases.filter(({ name, screen }) => !only || `${screen} ${name}`.includes(only))) {
    console.log(await compare(one))
  }
  await measureDrop()
} finally {
  server.kill('SIGKILL')
  await client.end()
  await database.stop()
}

async function seed(at: 0 | 1): Promise<Fleet> {
  const started = performance.now()
  const fleet = await seedFleet(client, agents[at])
  const share = agents[at] / agents[1]
  const count = (most: number) => Math.max(20, Math.ceil(most * share))
  await seedRecords(client, fleet, { entries: count(1_000_000), approvals: count(100_000), policies: count(5_000) })
  await seedDecisions(client, fleet, decisions[at])
  console.error(
    `seeded ${decisions[at]} decisions of ${agents[at]} agents in ${Math.round((performance.now() - started) / 1000)} s`,
  )
  return fleet
}

async function compare(one: ScreenCase): Promise<string> {
  const times: [number[], number[]] = [[], []]
  let found = 0
  for (let n = -warmUp; n < requests; n++) {
    // Alternates between the tenants, so that other load on the machine affects both.
    const [inSmall, inLarge] = [await send(one, fleets[0]), await send(one, fleets[1])]
    found = inLarge.found
    if (n < 0) continue
    times[0].push(inSmall.ms)
    times[1].push(inLarge.ms)
  }
  const [smallMs, largeMs] = times.map(median) as [number, number]
  const [smallWorst, largeWorst] = times.map((all) => Math.max(...all)) as [number, number]
  const growth = largeMs / smallMs
  const isGood = growth < (one.goal ?? usualGoal) && largeMs < slowMs
  const cells = [one.screen, one.name, found, ...[smallMs, smallWorst, largeMs, largeWorst].map((ms) => ms.toFixed(2))]
  return `| ${cells.join(' | ')} | ${growth.toFixed(2)}${isGood ? '' : ' (!)'} |`
}

async function send(one: ScreenCase, fleet: Fleet): Promise<{ ms: number; found: number }> {
  const path = typeof one.path === 'string' ? one.path : one.path(fleet)
  const first = await ask(one, fleet, path)
  if (!one.secondPage) return first
  return await ask(one, fleet, `${path}?page_token=${first.next}`)
}

async function ask({ name, method = 'GET', body, status = 200, key = 'key' }: ScreenCase, fleet: Fleet, path: string) {
  const headers = { authorization: `Bearer ${fleet[key]}`, ...(body && { 'content-type': 'application/json' }) }
  const started = performance.now()
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  const ms = performance.now() - started
  if (answer.status !== status) throw new Error(`${name} returned status ${answer.status}: ${text}`)
  const { data, buckets, replay, next_page_token: next } = JSON.parse(text)
  return { ms, next, found: data?.length ?? buckets?.length ?? replay?.decisions ?? 0 }
}

async function measureDrop(): Promise<void> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    `select relname as name, reltuples::bigint::int as rows from pg_class
     where relname ~ '^decision_records_90_[0-9]{8}$' order by reltuples desc limit 1`,
  )
  const [{ name, rows: held } = { name: '', rows: 0 }] = rows
  const started = performance.now()
  await client.query(`drop table ${name}`)
  console.log(
    `\ndropped ${name}, which held about ${held} decisions, in ${(performance.now() - started).toFixed(1)} ms`,
  )
}

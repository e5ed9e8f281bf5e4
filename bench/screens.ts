// Measures the requests of the dashboard's screens: `npm run bench:screens`. Compares a tenant of 1,000 agents and 100,000 decisions with a
// tenant of 250,000 agents and 20 million decisions of 29 days. Sends one request at a time over one connection. Also measures how fast
// decisions are stored, and how long it takes to drop the partition of a day. With BENCH_DATA, the database stays in that folder, and a
// second run uses it again.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { v7 } from 'uuid'
import { type Scene, type ScreenCase, screenCases } from './cases/screen-cases.ts'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { postInTurn } from './measure/load.ts'
import { timeInTurns } from './measure/time-in-turns.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'
import { type GuardIds, seedGuard } from './seed-guard.ts'
import { seedDecisions, seedRecords } from './seed-records.ts'
import { startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const agents = [1_000, Number(process.env.BENCH_AGENTS ?? 250_000)] as const
const decisions = [100_000, Number(process.env.BENCH_DECISIONS ?? 20_000_000)] as const
const requests = Number(process.env.BENCH_REQUESTS ?? 40)
const warmUp = 10
const only = process.env.BENCH_ONLY
const kept = process.env.BENCH_DATA
const usualGoal = 1.3
const slowMs = 50
/** A request that the server caches for 10 seconds is sent this many times, with a pause before each. */
const cachedRequests = 5
const cacheMs = 10_500
type SeededFleet = Fleet & GuardIds

const port = 18_083
const url = `http://127.0.0.1:${port}/api/v1`

const database = await startDatabase({ max_wal_size: '8GB' }, undefined, kept)
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const fleets = await readFleets()
const server = startMandate(database, port)
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  const scenes = [await sceneOf(fleets[0]), await sceneOf(fleets[1])] as const
  console.log('median and worst, milliseconds')
  console.log(
    `| screen | request | found | ${agents[0]} agents, ${decisions[0]} decisions | worst | ${agents[1]} agents, ${decisions[1]} decisions | worst | growth |\n|---|---|---|---|---|---|---|---|`,
  )
  for (const one of screenCases.filter(({ name, screen }) => !only || `${screen} ${name}`.includes(only))) {
    console.log(await compare(one, scenes))
  }
  if (!only || only === 'ingestion') await measureIngestion(fleets[1])
  if (!only && kept === undefined) await measureDrop()
} finally {
  server.kill('SIGKILL')
  await client.end()
  await database.stop()
}

/** Fills the database, or returns what a kept database was filled with. */
async function readFleets(): Promise<[SeededFleet, SeededFleet]> {
  const file = kept === undefined ? undefined : join(kept, 'fleets.json')
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const fleets: [SeededFleet, SeededFleet] = [await seed(0), await seed(1)]
  await client.query('vacuum analyze')
  if (file) writeFileSync(file, JSON.stringify(fleets))
  return fleets
}

async function seed(at: 0 | 1): Promise<SeededFleet> {
  const started = performance.now()
  const fleet = await seedFleet(client, agents[at])
  const share = agents[at] / agents[1]
  const count = (most: number) => Math.max(20, Math.ceil(most * share))
  await seedRecords(client, fleet, { entries: count(1_000_000), approvals: count(100_000), policies: count(5_000) })
  await seedDecisions(client, fleet, decisions[at])
  const guarded = { tools: count(5_000), delegations: count(10_000), credentials: count(200), patterns: count(50) }
  const ids = await seedGuard(client, fleet, guarded)
  console.error(
    `seeded ${decisions[at]} decisions of ${agents[at]} agents in ${Math.round((performance.now() - started) / 1000)} s`,
  )
  return { ...fleet, ...ids }
}

/** Adds the ids of the first rows of the lists, which a person opens. */
async function sceneOf(fleet: SeededFleet): Promise<Scene> {
  const firstOf = async (path: string) => (await ask({ name: path }, fleet, path)).rows[0]
  return {
    ...fleet,
    findingAgentId: (await firstOf('/findings?sort=attention')).agent_id,
    reviewId: (await firstOf('/reviews')).id,
    approvalId: (await firstOf('/approvals')).id,
    decisionId: (await firstOf('/decisions')).decision_id,
  }
}

async function compare(one: ScreenCase, scenes: readonly [Scene, Scene]): Promise<string> {
  const [before, counted] = one.isCached ? [0, cachedRequests] : [warmUp, requests]
  const { found, cells, growth, largeMs } = await timeInTurns(
    async (at) => {
      if (one.isCached && at === 0) await sleep(cacheMs)
      const { ms, rows } = await send(one, scenes[at])
      return { ms, found: rows.length }
    },
    { before, counted },
  )
  const isGood = growth < (one.goal ?? usualGoal) && largeMs < slowMs
  return `| ${[one.screen, one.name, found, ...cells].join(' | ')} | ${growth.toFixed(2)}${isGood ? '' : ' (!)'} |`
}

async function send(one: ScreenCase, scene: Scene) {
  const path = typeof one.path === 'string' ? one.path : one.path(scene)
  const first = await ask(one, scene, path)
  return one.secondPage ? await ask(one, scene, `${path}?page_token=${first.next}`) : first
}

async function ask(one: Omit<ScreenCase, 'path' | 'screen'>, fleet: Fleet, path: string) {
  const { name, method = 'GET', body, status = 200, key = 'key' } = one
  const headers = { authorization: `Bearer ${fleet[key]}`, ...(body && { 'content-type': 'application/json' }) }
  const started = performance.now()
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  const ms = performance.now() - started
  if (answer.status !== status) throw new Error(`${name} returned status ${answer.status}: ${text}`)
  const { data, buckets, next_page_token: next } = JSON.parse(text)
  return { ms, next, rows: data ?? buckets ?? [] }
}

/** Sends batches of new decisions of agents of one environment for ten seconds, over 16 connections. */
async function measureIngestion(fleet: Fleet): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from agents where tenant_id = $1 and environment_id = $2 and status = 'active' limit 10000`,
    [fleet.tenantId, fleet.environmentId],
  )
  console.log(
    '\n| decisions in a batch | decisions a second | and core | node, µs a decision | PostgreSQL, µs a decision |',
  )
  console.log('|---|---|---|---|---|')
  for (const size of [20, 200, 1_000]) {
    const bodies = Array.from({ length: Math.ceil(200_000 / size) }, (_, n) =>
      JSON.stringify({
        decisions: Array.from({ length: size }, (_, m) => newDecision(rows[(n * size + m) % rows.length]!.id)),
      }),
    )
    const used = () => [
      cpuTimeOf(server.pid as number, { withChildren: false }),
      cpuTimeOf(database.embedded.pid, { withChildren: true }),
    ]
    const before = used()
    const { requests, perSecond } = await postInTurn(`${url}/edge/decisions`, {
      bodies,
      credential: fleet.edgeKey,
      seconds: 10,
    })
    const [node, postgres] = used().map((us, at) => (us - (before[at] as number)) / (requests * size)) as [
      number,
      number,
    ]
    const perCore = 1_000_000 / (node + postgres)
    const cells = [size, Math.round(perSecond * size), Math.round(perCore), node.toFixed(1), postgres.toFixed(1)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

function newDecision(agentId: string): object {
  const server = ['files', 'mail', 'bank', 'crm', 'search'][Math.floor(Math.random() * 5)]
  return {
    decision_id: v7(),
    agent_id: agentId,
    tool: `mcp:${server}/read`,
    effect: 'allow',
    mode: 'enforce',
    policy_version: 2,
    args_digest: randomBytes(32).toString('hex'),
    at: new Date().toISOString(),
  }
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

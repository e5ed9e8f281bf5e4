// Compares this source tree with another tree, such as a worktree of an older commit, in one run: `node bench/beside.ts ../older`.
// Each tree has its own server and database with the same data, and the load alternates between them. Needs `wrk`, and Linux to
// measure CPU time. The other tree needs its own `npm ci`.
import type { ChildProcess } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { v7 } from 'uuid'
import { cpuTimeOf } from './cpu-time.ts'
import { postInTurn, type Request, sendInTurn } from './load.ts'
import { type BenchDatabase, median, startDatabase, startMandate, untilUp } from './real-server.ts'
import type { SeededTenant } from './seed.ts'
import { type Fleet, rareAgents } from './seed-fleet.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 8)
/** Number of agents for the read requests. The fleet that sends heartbeats has a tenth of this number. */
const agents = Number(process.env.BENCH_AGENTS ?? 100_000)
/** Runs only the rows whose name contains this text. */
const only = process.env.BENCH_ONLY ?? ''
const firstPort = 18_090

interface Side {
  url: string
  server: ChildProcess
  database: BenchDatabase
  tenants: SeededTenant[]
  fleet: Fleet
}

/** Sends load to one server for the given number of seconds. */
type Load = (side: Side, seconds: number) => Promise<{ requests: number; perSecond: number }>

interface Run {
  perSecond: number
  /** CPU time per request, in microseconds. */
  node: number
  postgres: number
}

const other = process.argv[2]
if (other === undefined) throw new Error('give the folder of the other tree: node bench/beside.ts ../older')
const sides: Side[] = []
try {
  for (const [at, tree] of [resolve(other), resolve(import.meta.dirname, '..')].entries()) {
    sides.push(await startSide(tree, firstPort + at))
  }
  await compareAll(sides as [Side, Side])
} finally {
  for (const { server, database } of sides) {
    server.kill('SIGKILL')
    await database.stop()
  }
}

async function startSide(tree: string, port: number): Promise<Side> {
  // Each tree fills the tables that its own migrations create.
  const of = (path: string) => import(pathToFileURL(join(tree, path)).href)
  const [{ migrate }, { seed }, { seedFleet }] = await Promise.all([
    of('packages/server/src/db/migrate.ts'),
    of('bench/seed.ts'),
    of('bench/seed-fleet.ts'),
  ])
  const database = await startDatabase({ max_wal_size: '4GB' }, migrate)
  const tenants = await seed(database.embedded.ownerUrl, 50, agents)
  const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
  await client.connect()
  const fleet = await seedFleet(client, agents / 10)
  await client.query('vacuum analyze')
  await client.end()
  const server = startMandate(database, port, tree)
  const url = `http://127.0.0.1:${port}`
  await untilUp(`${url}/readyz`)
  return { url, server, database, tenants, fleet }
}

async function compareAll([theirs, ours]: [Side, Side]): Promise<void> {
  console.log(`median of ${rounds} rounds of ${seconds} s, each server warmed up for ${warmUpSeconds} s`)
  console.log('µs are CPU time per request')
  console.log(
    '| | other, per second | node, µs | PostgreSQL, µs | this, per second | node, µs | PostgreSQL, µs | rate | time |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const [name, load] of Object.entries(loads()).filter(([name]) => name.includes(only))) {
    for (const side of [theirs, ours]) await load(side, warmUpSeconds)
    const pairs: [Run, Run][] = []
    for (let round = 0; round < rounds; round++) pairs.push([await measure(theirs, load), await measure(ours, load)])
    const of = (side: 0 | 1, field: keyof Run) => Math.round(median(pairs.map((pair) => pair[side][field])))
    const cells = ([0, 1] as const).flatMap((side) => [of(side, 'perSecond'), of(side, 'node'), of(side, 'postgres')])
    const rate = median(pairs.map(([before, after]) => after.perSecond / before.perSecond))
    const used = (run: Run) => run.node + run.postgres
    const time = median(pairs.map(([before, after]) => used(after) / used(before)))
    console.log(`| ${[name, ...cells, rate.toFixed(2), time.toFixed(2)].join(' | ')} |`)
  }
}

async function measure(side: Side, load: Load): Promise<Run> {
  const used = () => ({
    node: cpuTimeOf(side.server.pid as number, { withChildren: false }),
    postgres: cpuTimeOf(side.database.embedded.pid, { withChildren: true }),
  })
  const before = used()
  const { requests, perSecond } = await load(side, seconds)
  const after = used()
  return {
    perSecond,
    node: (after.node - before.node) / requests,
    postgres: (after.postgres - before.postgres) / requests,
  }
}

function loads(): Record<string, Load> {
  return {
    'key check': ofTenants(() => ({ method: 'GET', path: '/auth/session' })),
    'get one agent': ofTenants((tenant, at) => ({
      method: 'GET',
      path: `/agents/${tenant.agentIds[at % tenant.agentIds.length]}`,
    })),
    'list 50 agents': ofTenants(() => ({ method: 'GET', path: '/agents' })),
    'create an agent': ofTenants(({ environmentId }) => ({
      method: 'POST',
      path: '/agents',
      body: JSON.stringify({ name: 'made', environment_id: environmentId }),
    })),
    'heartbeat of 1 agent': ofEdge('/edge/heartbeat', ({ fleet }) => beats(fleet, 1)),
    'heartbeat of 100 agents': ofEdge('/edge/heartbeat', ({ fleet }) => beats(fleet, 100)),
    '20 decisions': ofEdge('/edge/decisions', ({ fleet }) =>
      Array.from({ length: 5_000 }, (_, n) => decisions(fleet, n)),
    ),
  }
}

function ofTenants(make: (tenant: SeededTenant, at: number) => Omit<Request, 'headers'>): Load {
  return ({ url, tenants }, seconds) => {
    const requests = Array.from({ length: 500 }, (_, at) => {
      const tenant = tenants[at % tenants.length] as SeededTenant
      const { method, path, body } = make(tenant, at)
      const headers = {
        authorization: `Bearer ${tenant.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      return { method, path: `/api/v1${path}`, headers, ...(body !== undefined && { body }) }
    })
    return sendInTurn(url, requests, seconds)
  }
}

function ofEdge(path: string, bodies: (side: Side) => object[]): Load {
  return (side, seconds) =>
    postInTurn(`${side.url}/api/v1${path}`, {
      bodies: bodies(side).map((body) => JSON.stringify(body)),
      credential: side.fleet.edgeKey,
      seconds,
    })
}

/** One heartbeat for each batch of agents. Each batch has its own edge instance. */
function beats({ agentIds, policyId }: Fleet, size: number): object[] {
  return Array.from({ length: Math.floor(agentIds.length / size) }, (_, n) => {
    const ids = agentIds.slice(n * size, (n + 1) * size)
    const agents = ids.map((id) => ({ agent_id: id, policy_id: policyId, policy_version: 2 }))
    return { instance_id: `edge of ${ids[0]}`, seq: 1, edge_version: '1.0.0', agents }
  })
}

/** Decisions of an agent that is not archived. Each has a new id, so that the server stores it. */
function decisions({ agentIds }: Fleet, n: number): object {
  const at = new Date().toISOString()
  const agentId = agentIds[(n % rareAgents) * (agentIds.length / rareAgents)]
  return {
    decisions: Array.from({ length: 20 }, () => ({
      decision_id: v7(),
      agent_id: agentId,
      tool: 'mcp:files/read',
      effect: 'allow',
      mode: 'enforce',
      policy_version: 2,
      args_digest: '0'.repeat(64),
      at,
    })),
  }
}

// Compares this source tree with another tree, such as a worktree of an older commit, in one run: `node bench/beside.ts ../older`.
// Each tree has its own server and database with the same data, and the load alternates between them. Needs `wrk`, and Linux to
// measure CPU time. The other tree needs its own `npm ci`.
import { resolve } from 'node:path'
import type pg from 'pg'
import { v7 } from 'uuid'
import { postInTurn, type Request, sendInTurn } from './measure/load.ts'
import type { SeededTenant, seed } from './seed.ts'
import { type Fleet, rareAgents, type seedFleet } from './seed-fleet.ts'
import { compare, type Load, printHeader, type Side, startSide, stopSides } from './servers/sides.ts'

/** Number of agents for the read requests. The fleet that sends heartbeats has a tenth of this number. */
const agents = Number(process.env.BENCH_AGENTS ?? 100_000)
/** Runs only the rows whose name contains one of these texts, separated by commas. */
const only = (process.env.BENCH_ONLY ?? '').split(',')
/** The run fails if a row takes more than this times the CPU time of the other tree. */
const most = Number(process.env.BENCH_MOST ?? Number.POSITIVE_INFINITY)
const firstPort = 18_090

interface Data {
  tenants: SeededTenant[]
  fleet: Fleet
}

type FilledSide = Side & Data

const other = process.argv[2]
if (other === undefined) throw new Error('give the folder of the other tree: node bench/beside.ts ../older')
const sides: FilledSide[] = []
const dearer: string[] = []
try {
  for (const [at, tree] of [resolve(other), resolve(import.meta.dirname, '..')].entries()) {
    sides.push(await startSide(tree, firstPort + at, fill))
  }
  printHeader()
  for (const [name, load] of Object.entries(loads()).filter(([name]) => only.some((text) => name.includes(text)))) {
    if ((await compare(name, sides as [FilledSide, FilledSide], load, most)) > most) dearer.push(name)
  }
} finally {
  await stopSides(sides)
}
if (dearer.length > 0) {
  console.error(`more than ${most} times the CPU time of the other tree: ${dearer.join(', ')}`)
  process.exitCode = 1
}

/** Each tree fills the tables that its own migrations create. The seed files stay at these paths, because older trees have them there. */
async function fill(client: pg.Client, of: (path: string) => Promise<never>, ownerUrl: string): Promise<Data> {
  const by = (await of('bench/seed.ts')) as { seed: typeof seed }
  const fleets = (await of('bench/seed-fleet.ts')) as { seedFleet: typeof seedFleet }
  return { tenants: await by.seed(ownerUrl, 50, agents), fleet: await fleets.seedFleet(client, agents / 10) }
}

function loads(): Record<string, Load<FilledSide>> {
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

function ofTenants(make: (tenant: SeededTenant, at: number) => Omit<Request, 'headers'>): Load<FilledSide> {
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

function ofEdge(path: string, bodies: (side: FilledSide) => object[]): Load<FilledSide> {
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

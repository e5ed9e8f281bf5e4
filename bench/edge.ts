// Measures heartbeats of a fleet of 100,000 agents: `npm run bench:edge`. Needs `wrk`, and Linux to measure CPU time.
// An agent-beat is one agent in one heartbeat. `wrk` runs on the same machine as the server and PostgreSQL.
import pg from 'pg'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { postInTurn } from './measure/load.ts'
import { type Fleet, seedFleet } from './seed-fleet.ts'
import { startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const agents = Number(process.env.BENCH_AGENTS ?? 100_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const fleetIntervalSeconds = 30
const drifting = 'drift opens or closes'
const port = 18_083
const url = `http://127.0.0.1:${port}`

const database = await startDatabase({ max_wal_size: '4GB' })
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const fleet = await seedFleet(client, agents)
await client.query('vacuum analyze')
const server = startMandate(database, port)
try {
  await untilUp(`${url}/readyz`)
  await measureAll()
} finally {
  await client.end()
  server.kill('SIGKILL')
  await database.stop()
}

async function measureAll(): Promise<void> {
  // Sends the first heartbeat of each agent before the measurement. It makes the agent active, so it writes more than later heartbeats.
  for (let from = 0; from < agents; from += 2_500) await beatOnce(fleet.agentIds.slice(from, from + 2_500))
  await client.query('vacuum analyze')
  console.log('| beat of | | agent-beats a second | node, µs each | PostgreSQL, µs each | fleet of 100,000 takes |')
  console.log('|---|---|---|---|---|---|')
  for (const size of [1, 100]) await measure(size, 'nothing changed', [2])
  for (const size of [1, 100]) await measure(size, 'the version changed', [1, 2])
  await client.query(
    `update agents set approved_policy_id = policy_id, approved_version = 2,
       approved_hash = (select content_hash from policies p where p.tenant_id = agents.tenant_id and p.id = policy_id)
     where tenant_id = $1`,
    [fleet.tenantId],
  )
  await beatAll(2)
  await client.query('vacuum analyze')
  await measure(100, drifting, [1, 2])
}

/** Sends heartbeats about all agents in batches, and repeats them with each of the versions in turn. */
async function measure(size: number, name: string, versions: number[]): Promise<void> {
  if (versions.length > 1) await beatAll(2)
  const bodies = versions.flatMap((version) => batches(fleet, size).map((ids) => bodyOf(ids, version)))
  const before = cpuTimes()
  const { requests, perSecond } = await postInTurn(`${url}/api/v1/edge/heartbeat`, {
    bodies,
    credential: fleet.edgeKey,
    seconds,
  })
  const after = cpuTimes()
  const each = (what: 'node' | 'postgres') => (after[what] - before[what]) / (requests * size)
  const share = (100_000 * (each('node') + each('postgres'))) / 1e6 / fleetIntervalSeconds
  const cells = [
    `${size} ${size === 1 ? 'agent' : 'agents'}`,
    name,
    Math.round(perSecond * size).toLocaleString('en'),
    each('node').toFixed(1),
    each('postgres').toFixed(1),
    // A share of a core would be misleading here, because no real fleet drifts at every heartbeat.
    name === drifting ? '–' : `${(100 * share).toFixed(0)} % of a core`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

function cpuTimes(): { node: number; postgres: number } {
  return {
    node: cpuTimeOf(server.pid!, { withChildren: false }),
    postgres: cpuTimeOf(database.embedded.pid, { withChildren: true }),
  }
}

function batches({ agentIds }: Fleet, size: number): string[][] {
  return Array.from({ length: Math.floor(agentIds.length / size) }, (_, n) => agentIds.slice(n * size, (n + 1) * size))
}

/** The heartbeat of a batch. Each batch has its own edge instance. The server also processes a heartbeat with a repeated `seq`. */
function bodyOf(ids: readonly string[], version: number): string {
  return JSON.stringify({
    instance_id: `edge of ${ids[0]}`,
    seq: 1,
    edge_version: '1.0.0',
    agents: ids.map((id) => ({ agent_id: id, policy_id: fleet.policyId, policy_version: version })),
  })
}

async function beatAll(version: number): Promise<void> {
  for (const ids of batches(fleet, 2_500)) await beatOnce(ids, version)
}

async function beatOnce(ids: readonly string[], version = 2): Promise<void> {
  const answer = await fetch(`${url}/api/v1/edge/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.edgeKey}`, 'content-type': 'application/json' },
    body: bodyOf(ids, version),
  })
  if (answer.status !== 200) throw new Error(`a heartbeat returned status ${answer.status}: ${await answer.text()}`)
}

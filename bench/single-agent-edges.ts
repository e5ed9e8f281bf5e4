// Measures 100,000 edges with one agent each, which send 3,334 heartbeats a second: `node bench/single-agent-edges.ts ../older`. Each
// heartbeat has its own agent key. Compares this source tree with another one, like `beside.ts`.
import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type pg from 'pg'
import { v7 } from 'uuid'
import { postAtRate } from './measure/load.ts'
import type { seed } from './seed.ts'
import { digest, lookUp, newKey } from './seed-tenant.ts'
import { compare, printHeader, type Side, startSide, stopSides } from './servers/sides.ts'

const agents = Number(process.env.BENCH_AGENTS ?? 100_000)
const perSecond = Number(process.env.BENCH_RATE ?? Math.ceil(agents / 30))
const firstPort = 18_094
const hash = createHash('sha256').update('policy').digest('hex')

interface Data {
  /** The agents in no order, each with its key. */
  keys: { agentId: string; key: string }[]
  policyId: string
  /** The key of an edge that is valid for all agents. */
  edgeKey: string
}

const other = process.argv[2]
if (other === undefined) throw new Error('give the folder of the other tree: node bench/single-agent-edges.ts ../older')
const sides: (Side & Data)[] = []
try {
  for (const [at, tree] of [resolve(other), resolve(import.meta.dirname, '..')].entries()) {
    const side = await startSide(tree, firstPort + at, fill)
    sides.push(side)
    await beatAll(side)
  }
  printHeader()
  const name = `${agents.toLocaleString('en')} agent keys, ${perSecond.toLocaleString('en')} heartbeats a second`
  await compare(name, sides as [Side & Data, Side & Data], (side, seconds) =>
    postAtRate(`${side.url}/api/v1/edge/heartbeat`, { requests: beats(side), seconds, perSecond }),
  )
} finally {
  await stopSides(sides)
}

/** Creates a tenant whose agents run the approved version of their policy. */
async function fill(client: pg.Client, of: (path: string) => Promise<never>, ownerUrl: string): Promise<Data> {
  const tree = (await of('bench/seed.ts')) as { seed: typeof seed }
  const [tenant] = await tree.seed(ownerUrl, 1, agents)
  if (!tenant) throw new Error('no tenant was created')
  const { tenantId, environmentId } = tenant
  const [policyId, edgeKey] = [v7(), newKey('ek')]
  await insertPolicy(client, tenantId, policyId)
  const { rows } = await client.query('select id from agents where tenant_id = $1', [tenantId])
  const keys = rows.map(({ id }) => ({ agentId: id as string, key: `ak_${randomBytes(32).toString('hex')}` }))
  await client.query(
    `with given as (select * from unnest($2::uuid[], $3::bytea[]) as g (id, hash)),
       stored as (insert into credential_lookup (hash, kind, tenant_id, id) select hash, 'agent', $1, id from given)
     update agents a set key_hash = g.hash, policy_id = $4, approved_policy_id = $4, approved_version = 1, approved_hash = $5
     from given g where a.tenant_id = $1 and a.id = g.id`,
    [tenantId, keys.map(({ agentId }) => agentId), keys.map(({ key }) => digest(key)), policyId, hash],
  )
  await client.query(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at) values ($1, $2, 'edge', $3, $4, $5, now())`,
    [tenantId, await lookUp(client, tenantId, edgeKey, 'edge'), environmentId, digest(edgeKey), edgeKey.slice(0, 8)],
  )
  await client.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, edge_version, seen_at)
     select $1, id, 'edge of ' || id, 1, '1.0.0', now() from unnest($2::uuid[]) as v (id)`,
    [tenantId, keys.map(({ agentId }) => agentId)],
  )
  await client.query('vacuum full agents')
  return { keys: inNoOrder(keys), policyId, edgeKey }
}

async function insertPolicy(client: pg.Client, tenantId: string, id: string): Promise<void> {
  await client.query(
    `insert into policies (tenant_id, id, name, version, content_hash, created_at, updated_at)
     values ($1, $2, 'policy', 1, $3, now(), now())`,
    [tenantId, id, hash],
  )
  await client.query(
    `insert into policy_versions (tenant_id, policy_id, version, produced_by, saved_by, saved_at, change_summary,
       change_class, snapshot, content_hash)
     values ($1, $2, 1, 'created', '{}', now(), '{}', 'neutral', '{"default_effect": "deny", "rules": []}', $3)`,
    [tenantId, id, hash],
  )
}

/** Sends the first heartbeat of each agent. It writes more than later heartbeats. */
async function beatAll({ url, keys, policyId, edgeKey }: Side & Data): Promise<void> {
  for (let from = 0; from < keys.length; from += 2_500) {
    const some = keys.slice(from, from + 2_500)
    const response = await fetch(`${url}/api/v1/edge/heartbeat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${edgeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        bodyOf(
          'all',
          some.map(({ agentId }) => agentId),
          policyId,
        ),
      ),
    })
    if (response.status !== 200)
      throw new Error(`a heartbeat returned status ${response.status}: ${await response.text()}`)
  }
}

/** Agents beat in no order of their ids, so their rows are spread over the whole table. */
function inNoOrder<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)
}

function beats({ keys, policyId }: Data): { credential: string; body: string }[] {
  return keys.map(({ agentId, key }) => ({
    credential: key,
    body: JSON.stringify(bodyOf(`edge of ${agentId}`, [agentId], policyId)),
  }))
}

function bodyOf(instance: string, agentIds: readonly string[], policyId: string): object {
  const reports = agentIds.map((agent_id) => ({ agent_id, policy_id: policyId, policy_version: 1 }))
  return { instance_id: instance, seq: 1, edge_version: '1.0.0', agents: reports }
}

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TenantGroups } from '../../../concurrency/tenant-groups.ts'
import { Database, type Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { addAgent, createTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer, useTenant } from '../../../testing/use-test-server.ts'
import { type NewHeartbeat, type ReportedState, storeHeartbeats } from './heartbeat-queries.ts'
import { storeHeartbeat } from './store-heartbeat.ts'

const server = useOwnServer()
const tenant = useTenant(server)

const newAgent = (rest = {}) => addAgent(server, tenant.id, { environmentId: tenant.development, ...rest })
const newAgents = (count: number) => Promise.all(Array.from({ length: count }, () => newAgent()))

const ofAgent = (agentId: string): Partial<NewHeartbeat> => ({
  credentialId: agentId,
  reach: { agentId, environmentId: null },
})
const ofEdge = (environmentId: string): Partial<NewHeartbeat> => ({ reach: { agentId: null, environmentId } })

function heartbeat(agentIds: readonly string[], rest: Partial<NewHeartbeat> = {}): NewHeartbeat {
  return {
    credentialId: randomUUID(),
    credentialName: 'edge',
    reach: { agentId: null, environmentId: tenant.development },
    instanceId: 'one',
    seq: 1,
    edgeVersion: '1.0.0',
    now: new Date().toISOString(),
    closesAt: null,
    features: [],
    agents: agentIds.map((id) => ({ id, policyId: null, version: null, hash: null })),
    ...rest,
  }
}

/** Stores heartbeats that arrive in the same turn of the event loop, so that they are in one group. */
const storeTogether = (...heartbeats: NewHeartbeat[]) =>
  Promise.all(heartbeats.map((one) => storeHeartbeat(server.services, tenant.id, one)))
const idsOf = (states: readonly ReportedState[]) => states.map(({ agent_id }) => agent_id).sort()

/** The transaction that wrote the row of each agent, in the order of the ids. Null for an agent without a row. */
async function writersOf(agentIds: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await server.owner.query(
    `select r.xmin::text as writer from unnest($1::uuid[]) with ordinality as a (id, n)
     left join agent_runtime r on r.agent_id = a.id order by a.n`,
    [agentIds],
  )
  return rows.map(({ writer }) => writer)
}

/** Locks the agent's row in `agent_runtime` until the returned function is called. */
async function lockRuntime(agentId: string): Promise<() => Promise<void>> {
  const client = await server.owner.connect()
  await client.query('begin')
  await client.query('select from agent_runtime where agent_id = $1 for update', [agentId])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

describe('heartbeats that arrive together', () => {
  it('are stored by one transaction, and each gets the states of its own agents', async () => {
    const agents = await newAgents(6)
    const [a, b, c, d, e, f] = agents as [string, string, string, string, string, string]
    const answers = await storeTogether(heartbeat([a, b]), heartbeat([c]), heartbeat([]), heartbeat([d, e, f]))
    expect(answers.map(idsOf)).toEqual([[a, b].sort(), [c], [], [d, e, f].sort()])
    const writers = await writersOf(agents)
    expect(writers[0]).not.toBeNull()
    expect(new Set(writers).size).toBe(1)
  })

  it('read and change only agents in the reach of their own credential', async () => {
    const [own, neighbour, ofOtherKey] = (await newAgents(3)) as [string, string, string]
    const inProduction = await newAgent({ environmentId: tenant.production })
    const other = await createTenant(server)
    const ofOtherTenant = await addAgent(server, other.id, { environmentId: other.development })
    const answers = await storeTogether(
      heartbeat([own, inProduction, ofOtherTenant], { ...ofAgent(own), instanceId: 'agent key' }),
      heartbeat([neighbour], { ...ofAgent(ofOtherKey), instanceId: 'agent key of another agent' }),
      heartbeat([ofOtherKey], { ...ofEdge(tenant.production), instanceId: 'edge of production' }),
    )
    expect(answers.map(idsOf)).toEqual([[own], [], []])
    const [written, ...unwritten] = await writersOf([own, inProduction, ofOtherTenant, neighbour, ofOtherKey])
    expect(written).not.toBeNull()
    expect(unwritten).toEqual([null, null, null, null])
  })

  it('store the number of agents, the version and the time of each instance', async () => {
    const [a, b, c] = (await newAgents(3)) as [string, string, string]
    const [credentialId, closesAt] = [randomUUID(), '2030-01-01T00:00:00.000Z']
    const [first, second] = ['2029-01-01T00:00:00.000Z', '2029-01-01T00:00:01.000Z']
    await storeTogether(
      heartbeat([a, b, randomUUID()], { credentialId, instanceId: 'one', edgeVersion: '1', now: first, closesAt }),
      heartbeat([c], { credentialId, instanceId: 'two', seq: 7, edgeVersion: '2', now: second }),
    )
    const { rows } = await server.owner.query(
      `select instance_id, seq::int, edge_version, seen_at, agents, closes_at from edge_instances
       where credential_id = $1 order by instance_id`,
      [credentialId],
    )
    expect(rows).toEqual([
      {
        instance_id: 'one',
        seq: 1,
        edge_version: '1',
        seen_at: new Date(first),
        agents: 2,
        closes_at: new Date(closesAt),
      },
      { instance_id: 'two', seq: 7, edge_version: '2', seen_at: new Date(second), agents: 1, closes_at: null },
    ])
    const { rows: seen } = await server.owner.query(
      'select last_heartbeat_at, running_edge_id from agent_runtime where agent_id = $1',
      [c],
    )
    expect(seen).toEqual([{ last_heartbeat_at: new Date(second), running_edge_id: credentialId }])
  })

  it('a heartbeat with an older seq changes nothing, and the others of its group are stored', async () => {
    const [a, b] = (await newAgents(2)) as [string, string]
    const credentialId = randomUUID()
    await storeTogether(heartbeat([], { credentialId, seq: 10 }))
    const answers = await storeTogether(heartbeat([a], { credentialId, seq: 9 }), heartbeat([b]))
    expect(answers.map(idsOf)).toEqual([[a], [b]])
    const [stale, stored] = await writersOf([a, b])
    expect(stale).toBeNull()
    expect(stored).not.toBeNull()
  })

  it('about one agent, or of one instance, are stored in the order in which they arrived', async () => {
    const [policy, [a, b]] = [await addPolicy(server, tenant.id), (await newAgents(2)) as [string, string]]
    const credentialId = randomUUID()
    const says = (id: string, version: number) => [{ id, policyId: policy.id, version, hash: null }]
    await storeTogether(
      ...[1, 2, 3].map((version) => heartbeat([], { agents: says(a, version) })),
      ...[5, 4, 6].map((seq) => heartbeat([], { credentialId, seq, agents: says(b, seq) })),
    )
    const { rows } = await server.owner.query(
      'select running_version from agent_runtime where agent_id = any($1) order by running_version',
      [[a, b]],
    )
    expect(rows).toEqual([{ running_version: 3 }, { running_version: 6 }])
    const { rows: instances } = await server.owner.query(
      'select seq::int from edge_instances where credential_id = $1',
      [credentialId],
    )
    expect(instances).toEqual([{ seq: 6 }])
  })

  it('do not fail because one of them fails', async () => {
    const [a, b, c] = (await newAgents(3)) as [string, string, string]
    const answers = await Promise.allSettled([
      storeHeartbeat(server.services, tenant.id, heartbeat([a])),
      storeHeartbeat(server.services, tenant.id, heartbeat([b], { seq: 1e30 })),
      storeHeartbeat(server.services, tenant.id, heartbeat([c])),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const [first, failed, last] = await writersOf([a, b, c])
    expect([first !== null, failed, last !== null]).toEqual([true, null, true])
  })

  it('do not wait for one whose agent is locked by another transaction', async () => {
    const [locked, free] = (await newAgents(2)) as [string, string]
    await storeTogether(heartbeat([locked]))
    const unlock = await lockRuntime(locked)
    const [slow, quick] = [heartbeat([locked]), heartbeat([free])].map((one) =>
      storeHeartbeat(server.services, tenant.id, one),
    )
    expect(idsOf((await quick) as ReportedState[])).toEqual([free])
    await storeTogether(heartbeat([free]))
    await unlock()
    expect(idsOf((await slow) as ReportedState[])).toEqual([locked])
  })

  it('heartbeats of two server instances about the same agents and edges do not deadlock', async () => {
    const agents = await newAgents(30)
    const { connectionString: url } = server.owner.options as { connectionString: string }
    const instances = [1, 2, 3].map(() => {
      const db = new Database({ url })
      return { db, groups: new TenantGroups(db) }
    })
    const { rows: edges } = await server.owner.query(
      `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at)
       select $1, gen_random_uuid(), 'edge', $2, '', '', now() from generate_series(1, 5) returning id`,
      [tenant.id, tenant.development],
    )
    const stored = instances.flatMap((services, instance) =>
      Array.from({ length: 10 }, (_, round) =>
        // Each instance sends the edges and the agents in an order of its own.
        (instance === 1 ? edges.toReversed() : edges).map(({ id: credentialId }, n) => {
          const some = agents.slice(n * 6, n * 6 + 6)
          const now = new Date(Date.UTC(2029, 1, 1, 0, 0, 2 * round + instance)).toISOString()
          const order = (round + instance) % 2 === 0 ? some : some.toReversed()
          const rest = { credentialId, instanceId: 'shared', seq: round, now }
          return storeHeartbeat(services, tenant.id, heartbeat(order, rest))
        }),
      ).flat(),
    )
    const answers = await Promise.allSettled(stored)
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
    // A connection reports its deadlocks when it closes.
    await Promise.all(instances.map(({ db }) => db.close()))
    const { rows } = await server.owner.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
    expect(rows).toEqual([{ deadlocks: 0 }])
  })
})

interface Plan {
  'Node Type': string
  'Actual Loops': number
  Plans?: Plan[]
}

/** How often a plan reads a list of the statement, at most. A nested loop reads its second list once for each row of its first list. */
function timesListIsRead(plan: Plan): number {
  const { Plans: children = [], 'Node Type': type } = plan
  const isList = type === 'CTE Scan' || (type === 'Materialize' && children[0]?.['Node Type'] === 'CTE Scan')
  return Math.max(isList ? plan['Actual Loops'] : 0, ...children.map(timesListIsRead))
}

// PostgreSQL must not join the lists of the statement in nested loops, also if it estimates that they are short. This transaction prefers
// nested loops.
const preferNestedLoops = raw(
  `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
  [],
)

describe('the statement for many heartbeats', () => {
  it('does not compare each agent with each other agent', async () => {
    const agents = await newAgents(50)
    const heartbeats = agents.map((id) => heartbeat([id], { instanceId: 'cost' }))
    const { plans } = await costOf(server, tenant.id, async (tx) => {
      await tx.all(preferNestedLoops)
      await storeHeartbeats(tx as Tx, heartbeats)
    })
    const times = plans.map((plan) => timesListIsRead(plan as Plan))
    expect(Math.max(...times), JSON.stringify(plans)).toBe(1)
  })
})

describe('POST /edge/heartbeat at the same time with many credentials', () => {
  it('answers each caller with the agents of its own credential', async () => {
    const ids = await newAgents(20)
    const keys = await Promise.all(ids.map((id) => giveAgentKey(server, tenant.id, id)))
    const edge = await addEdge(server, tenant.id, tenant.development)
    const body = (instance_id: string, named: readonly string[]) => ({
      instance_id,
      seq: 1,
      edge_version: '1.0.0',
      agents: named.map((agent_id) => ({ agent_id })),
    })
    const [ofEdgeKey, ...ofAgentKeys] = await Promise.all([
      edge.post('/edge/heartbeat', body('edge', ids)),
      // Each agent key also names the agent of the next key.
      ...keys.map((api, n) => api.post('/edge/heartbeat', body(`${n}`, [ids[n]!, ids[(n + 1) % ids.length]!]))),
    ])
    const named = (answer: { body: { agents: { agent_id: string }[] } }) =>
      answer.body.agents.map(({ agent_id }) => agent_id)
    expect(ofAgentKeys.map(named)).toEqual(ids.map((id) => [id]))
    expect(named(ofEdgeKey!).sort()).toEqual(ids.toSorted())
  })

  it('401 for a key that was revoked, also between valid ones', async () => {
    const ids = await newAgents(10)
    const keys = await Promise.all(ids.map((id) => giveAgentKey(server, tenant.id, id)))
    const beat = { instance_id: 'one', seq: 1, edge_version: '1.0.0', agents: [] }
    const statuses = async () => {
      const answers = await Promise.all(keys.map((api) => api.post('/edge/heartbeat', beat)))
      return answers.map(({ status }) => status)
    }
    expect(await statuses()).toEqual(ids.map(() => 200))
    await server.owner.query(`update agents set key_hash = null where id = $1`, [ids[4]])
    expect(await statuses()).toEqual(ids.map((_, n) => (n === 4 ? 401 : 200)))
  })
})

import { executionCoverageStates } from '@mandate/contract/agents'
import { findingTypes } from '@mandate/contract/words/agent-words'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { actorOf } from '../../../testing/arrange.ts'
import { addPolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'
import { findAgentJson, findAgentsJson, findCoverageJson, findListedJson } from './agent-json-queries.ts'

const oddText = fc.string({ unit: fc.constantFrom(...'aß"\\/\n\t\u2028<>&\'%,{}[]:東😀'), minLength: 1, maxLength: 12 })
const isTrue = fc.boolean()
const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
/** PostgreSQL leaves out trailing zeros in the fraction of a second. */
const second = fc.constantFrom('00', '00.01', '00.12', '00.987')

/** The values in which the test agents differ. */
const sort = fc.record({
  name: oddText,
  environment: isTrue,
  policy: fc.constantFrom(null, 'inherit', 'enforce'),
  approved: fc.constantFrom(null, 'a', 'b'),
  beat: fc.option(second),
  running: fc.constantFrom(null, 'a', 'b', 'without hash'),
  version: fc.option(fc.integer({ min: 1, max: 2_000_000_000 })),
  attested: fc.constantFrom(null, null, 'full', 'full', 'partial', 'none'),
  seen: fc.constantFrom(null, 0, 1, 4_000_000_000),
  unmediated: rarely,
  isOld: rarely,
  open: fc.subarray([...findingTypes]),
})
type Sort = typeof sort extends fc.Arbitrary<infer Value> ? Value : never

const now = '2026-03-04T05:06:07.080Z'
const onPage = 200

const server = useTestServer()
const tenant = useTenant(server)
let actor: Member
/** Ids of the agents, oldest first. */
const ids: string[] = []
const edgeId = newId()

beforeAll(async () => {
  actor = actorOf(tenant)
  await server.owner.query(`update environments set name = E'Pro"duction\\n東' where tenant_id = $1`, [tenant.id])
  const policies = {
    inherit: await addPolicy(server, tenant.id),
    enforce: await addPolicy(server, tenant.id, { overrideMode: 'enforce' }),
  }
  await server.owner.query(`update policies set name = E'al\\\\low "it"\\n😀' where tenant_id = $1`, [tenant.id])
  for (const one of fc.sample(sort, onPage)) ids.push(await plant(one, policies))
})

async function plant(agent: Sort, policies: Record<'inherit' | 'enforce', TestPolicy>): Promise<string> {
  const id = newId()
  const insert = (table: string, row: object) =>
    server.owner.query(
      `insert into ${table} (${Object.keys(row)}) select ${Object.keys(row)} from json_populate_record(null::${table}, $1)`,
      [JSON.stringify(row)],
    )
  const own = { tenant_id: tenant.id, agent_id: id }
  await insert('agents', {
    ...{ tenant_id: tenant.id, id, name: agent.name, description: agent.name, framework: agent.name, model: '' },
    ...{ tools: [agent.name], metadata: { [agent.name]: [agent.name, 1.5, null] }, created_at: now, updated_at: now },
    ...{ status: 'active', source: 'runtime', governance_state: 'governed', lifecycle_status: 'approved' },
    ...{ environment_id: agent.environment ? tenant.development : null, has_evidence: true },
    policy_id: agent.policy && policies[agent.policy as 'inherit'].id,
    approved_policy_id: agent.approved && policies.inherit.id,
    approved_version: agent.approved && 1,
    approved_hash: agent.approved,
    approved_by: agent.environment ? newId() : null,
    approved_at: agent.environment ? now : null,
    approved_review_id: agent.environment ? newId() : null,
  })
  if (agent.beat !== null) {
    const runs = {
      running_policy_id: policies.inherit.id,
      running_version: agent.version,
      reported_at: minute(agent.beat),
      running_since: agent.policy ? minute(agent.beat) : null,
      running_edge_id: agent.environment ? edgeId : null,
      running_edge_name: agent.environment ? agent.name : null,
      running_edge_version: agent.policy ? agent.name : null,
    }
    const hash = agent.running === 'without hash' ? null : agent.running
    const running = agent.running === null ? {} : { ...runs, running_hash: hash }
    await insert('agent_runtime', { ...own, last_heartbeat_at: minute(agent.beat), ...running })
  }
  const at = agent.isOld ? '2026-03-04T04:51:07.079Z' : '2026-03-04T04:51:07.080Z'
  const attestation = {
    mode: agent.attested,
    tools: [agent.name],
    mediation_points: [],
    edge_version: agent.name,
    attested_at: at,
  }
  const window = { window_start: now, window_end: at, actions_seen: agent.seen, actions_mediated: agent.seen }
  const stats = { ...window, unmediated_seen: agent.unmediated ? 1 : 0, reported_at: now }
  if (agent.attested !== null || agent.seen !== null) {
    await insert('agent_evidence', { ...own, ...(agent.attested && attestation), ...(agent.seen !== null && stats) })
  }
  // The types ascend while the ids descend. So every index returns the findings in this order, whichever index the query uses.
  const findings = agent.open.sort().map((type) => ({ type, id: newId() }))
  const findingIds = findings.map((finding) => finding.id).reverse()
  for (const [at, { type }] of findings.entries()) {
    const said = { severity: agent.name, evidence: { [agent.name]: agent.name }, remediation: agent.name }
    await insert('findings', { ...own, id: findingIds[at], type, status: 'open', opened_at: now, ...said })
  }
  return id
}

const minute = (seconds: string) => `2026-03-04T05:05:${seconds}Z`

const reader = () => server.services.db.reader(tenant.id)

describe('the JSON of an agent', () => {
  it('has the same bytes whether PostgreSQL writes it in a list or this process writes it for one agent', async () => {
    const alone = await Promise.all(ids.map((id) => findAgentJson(reader(), actor, id, now)))
    const newestFirst = alone.toReversed().join(',')
    const filters = { governance_state: 'governed', page_size: onPage } as const
    expect((await findAgentsJson(reader(), actor, filters, undefined, now)).items).toBe(newestFirst)
    const listed = server.services.db.transaction(tenant.id, (tx) => findListedJson(tx, actor, ids, now))
    expect(await listed).toBe(newestFirst)
  })

  it('contains the same object as the endpoint of the execution coverage', async () => {
    for (const id of ids) {
      const whole = await findAgentJson(reader(), actor, id, now)
      expect(whole?.endsWith(`,"execution_coverage":${await findCoverageJson(reader(), actor, id, now)}}`)).toBe(true)
    }
  })

  it('was compared for agents of every kind', async () => {
    const agents = await Promise.all(
      ids.map(async (id) => JSON.parse((await findAgentJson(reader(), actor, id, now)) as string)),
    )
    const seen = (of: (agent: (typeof agents)[number]) => unknown) => new Set(agents.map(of))
    expect(seen((agent) => agent.execution_coverage_state)).toEqual(new Set(executionCoverageStates))
    expect(seen((agent) => agent.drift)).toEqual(new Set([true, false, null]))
    expect(seen((agent) => agent.governance_mode).size).toBeGreaterThan(1)
    for (const field of ['environment', 'policy', 'running_policy', 'last_heartbeat_at']) {
      expect(seen((agent) => agent[field] === null)).toEqual(new Set([true, false]))
    }
    for (const axis of ['attested', 'observed']) {
      expect(seen((agent) => agent.execution_coverage[axis] === null)).toEqual(new Set([true, false]))
    }
    const findings = seen((agent) => agent.execution_coverage.findings.length)
    expect(findings).toEqual(new Set([...findingTypes.keys(), findingTypes.length]))
    expect(seen((agent) => agent.running_policy?.version === null)).toEqual(new Set([true, false]))
    for (const field of ['content_hash', 'since', 'edge']) {
      expect(seen((agent) => agent.running_policy && agent.running_policy[field] === null)).toEqual(
        new Set([true, false, null]),
      )
    }
    const approvedBy = seen((agent) => agent.approved_policy && agent.approved_policy.approved_by === null)
    expect(approvedBy).toEqual(new Set([true, false, null]))
  })
})

import type { DecisionFilters } from '@mandate/contract/decisions'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { actorOf, addAgent, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { countFilledDecisions } from '../../../testing/count-filled-decisions.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { listDecisions } from './list-decisions.ts'
import { countSession, findPartitions } from './list-queries.ts'

const server = useOwnServer()
const agents = 50
const dayMs = 24 * 60 * 60_000

const rareCalls = 30

interface Filled {
  tenant: TestTenant
  /** The policy, rule, edge and approval of thirty decisions. */
  rare: { policyId: string; ruleId: string; edgeId: string; approvalId: string }
  /** Sees fifty agents, which made half of the calls. */
  scoped: Member
}

let small: Filled
let large: Filled

beforeAll(async () => {
  small = await fill(30_000)
  large = await fill(120_000)
  await server.owner.query('vacuum analyze decision_records, agents, agent_grants')
}, 120_000)

/** All decisions but thirty are in one session. Every second decision is of an agent that the scoped user does not see. */
async function fill(decisions: number): Promise<Filled> {
  const tenant = await createTenant(server)
  const person = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
  const agentIds: string[] = []
  for (let n = 0; n < agents; n++) {
    const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await grantAgent(server, tenant.id, person.id, id)
    agentIds.push(id)
  }
  const hidden = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await server.owner.query(
    `insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, session_id,
       tool, effect, mode, args_digest)
     select $1, uuidv7(), 90, now(), now() - n * interval '1 millisecond', now(),
       case when n % 2 = 0 then ($2::uuid[])[1 + n / 2 % cardinality($2)] else $3::uuid end, $4, 'busy', 'mcp:files/read', 'allow', 'enforce', 'd'
     from generate_series(1, $5::int) n`,
    [tenant.id, agentIds, hidden, tenant.development, decisions],
  )
  const rare = { policyId: newId(), ruleId: newId(), edgeId: newId(), approvalId: newId() }
  await server.owner.query(
    `insert into decision_records (tenant_id, decision_id, retention_days, filed_at, at, received_at, agent_id, environment_id, policy_id,
       rule_id, edge_id, approval_id, tool, effect, mode, args_digest)
     select $1, uuidv7(), 90, now(), now() - n * $5::int / ${rareCalls} * interval '1 millisecond', now(), $2, $3, $4, $6, $7, $8,
       'mcp:files/rare', 'deny', 'monitor', 'd' from generate_series(1, ${rareCalls}) n`,
    [tenant.id, hidden, tenant.development, rare.policyId, decisions, rare.ruleId, rare.edgeId, rare.approvalId],
  )
  for (const text of countFilledDecisions) await server.owner.query(text, [tenant.id])
  const scoped = actorOf(tenant, { userId: person.id, role: 'viewer', accessScope: 'scoped' })
  return { tenant, rare, scoped }
}

function boundToProduction(member: Member, tenant: TestTenant): Member {
  const key = { id: newId(), prefix: '', name: '', scopes: [], environmentId: tenant.production }
  return { ...member, accessScope: 'all', kind: 'api_key', key }
}

const now = new Date().toISOString()

async function list(sql: Sql, actor: Member, filters: Partial<DecisionFilters>) {
  const db = { transaction: (_: string, work: (tx: Sql) => unknown) => work(sql) }
  const ctx = { actor, now, services: { ...server.services, db } } as unknown as Ctx<Member>
  return (await listDecisions(ctx, { page_size: 50, ...filters })).data
}

describe('reads a bounded number of decisions', () => {
  it.each([
    ['a scoped user', (scoped: Member) => scoped, 10_000],
    ['a key bound to another environment', boundToProduction, 0],
  ] as const)('to count the calls of a session for %s', async (_, actorOf, expected) => {
    const cost = ({ tenant, scoped }: Filled) =>
      costOf(server, tenant.id, async (sql) => {
        const range = { from: Date.parse(now) - dayMs, to: Date.parse(now) + dayMs }
        const partitions = await findPartitions(sql, range)
        const actor = actorOf(scoped, tenant)
        const { calls } = await countSession(sql, actor, 'busy', partitions, { most: 10_000, now })
        expect(calls).toBe(expected)
      })
    const [few, many] = [await cost(small), await cost(large)]
    expect(many.buffers, JSON.stringify(many.plans)).toBeLessThan(few.buffers * 1.3)
  })

  it('of all agents of a scoped user together', async () => {
    const cost = ({ tenant, scoped }: Filled) =>
      costOf(server, tenant.id, async (sql) => {
        expect(await list(sql, scoped, { policy_id: newId() })).toHaveLength(0)
      })
    const [few, many] = [await cost(small), await cost(large)]
    expect(many.buffers, JSON.stringify(many.plans)).toBeLessThan(few.buffers * 2)
  })

  it.each([
    ['policy', ({ rare }: Filled) => ({ policy_id: rare.policyId })],
    ['rule', ({ rare }: Filled) => ({ rule_id: rare.ruleId })],
    ['edge', ({ rare }: Filled) => ({ edge_id: rare.edgeId })],
    ['approval', ({ rare }: Filled) => ({ approval_id: rare.approvalId })],
    ['edge and effect', ({ rare }: Filled) => ({ edge_id: rare.edgeId, effect: 'deny' as const })],
    ['tool', () => ({ tool: 'mcp:files/rare' })],
    ['mode', () => ({ mode: 'monitor' as const })],
    [
      'environment and tool pattern',
      ({ tenant }: Filled) => ({ environment_id: tenant.development, tool: 'mcp:*/rare' }),
    ],
  ])('for the few decisions of one %s among many', async (_, filtersOf) => {
    const cost = (filled: Filled) =>
      costOf(server, filled.tenant.id, async (sql) => {
        const all: Member = { ...filled.scoped, accessScope: 'all' }
        expect(await list(sql, all, filtersOf(filled))).toHaveLength(rareCalls)
      })
    const [few, many] = [await cost(small), await cost(large)]
    expect(many.buffers, JSON.stringify(many.plans)).toBeLessThan(few.buffers * 1.3)
  })
})

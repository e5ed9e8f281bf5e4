import { beforeAll, describe, expect, it } from 'vitest'
import type { Sql } from '../db/database.ts'
import { actorOf, createTenant, type TestTenant } from '../testing/arrange.ts'
import { addPolicy } from '../testing/arrange-agents.ts'
import { fillAgents } from '../testing/fill-agents.ts'
import { fillApprovals } from '../testing/fill-rows.ts'
import { costOf } from '../testing/statement-cost.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { findObstacles } from './agents/queries.ts'
import { findLeftToOthers } from './approvals/stored/resolver-queries.ts'
import { findStandings } from './policies/queries.ts'
import { findStakes } from './reviews/queries.ts'
import { findActingOwners } from './users/queries.ts'

interface Filled {
  tenant: TestTenant
  /** At most 200 ids of each kind: a page of a list. */
  agents: string[]
  approvals: string[]
  reviews: string[]
  policies: string[]
}

const server = useOwnServer()
let small: Filled
let large: Filled

beforeAll(async () => {
  small = await fill(1_000)
  large = await fill(20_000)
  await server.owner.query('vacuum analyze agents, approvals, reviews, users, agent_grants')
}, 300_000)

// PostgreSQL may read a small table whole, which costs less than to look up the 200 rows of a page. A look-up reads about eight pages.
const lookUpPages = 200 * 10

/** A tenant whose owner owns every agent and requested every review, so that other users who could decide must be found. */
async function fill(count: number): Promise<Filled> {
  const tenant = await createTenant(server)
  const { id, owner, development } = tenant
  const { id: policyId } = await addPolicy(server, id)
  await fillAgents(server, id, { count, environmentId: development, policyId })
  await fillApprovals(server, id)
  await server.owner.query('update agents set owner_user_id = $2 where tenant_id = $1', [id, owner.id])
  await server.owner.query(
    `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at, requested_by)
     select tenant_id, id, id, environment_id, 'attestation', 'pending', 'manager', now(), $2 from agents where tenant_id = $1`,
    [id, owner.id],
  )
  const ids = async (table: string) => {
    const { rows } = await server.owner.query(
      `select id from ${table} where tenant_id = $1 order by id desc limit 200`,
      [id],
    )
    return rows.map((row) => row.id as string)
  }
  const [agents, approvals, reviews] = await Promise.all(['agents', 'approvals', 'reviews'].map(ids))
  return { tenant, agents: agents ?? [], approvals: approvals ?? [], reviews: reviews ?? [], policies: [policyId] }
}

describe('include=may reads as many database pages with twenty times the agents', () => {
  it.each<[string, (sql: Sql, filled: Filled) => Promise<unknown>, number]>([
    ['of agents', (sql, { agents }) => findObstacles(sql, agents), 1500],
    ['of approvals', (sql, { approvals, tenant }) => findLeftToOthers(sql, tenant.owner.id, approvals), 2500],
    ['of reviews', (sql, { reviews, tenant }) => findStakes(sql, tenant.owner.id, reviews), 4500],
    ['of policies', (sql, { policies, tenant }) => findStandings(sql, actorOf(tenant), policies), 100],
    ['of users', (sql) => findActingOwners(sql, 2), 100],
  ])('%s', async (_, work, atMost) => {
    for (const mode of ['custom', 'generic'] as const) {
      const inSmall = await costOf(server, small.tenant.id, (sql) => work(sql, small), mode)
      const inLarge = await costOf(server, large.tenant.id, (sql) => work(sql, large), mode)
      const said = `${mode}: ${inSmall.buffers} and ${inLarge.buffers} buffers; ${JSON.stringify(inLarge.plans).slice(0, 3000)}`
      expect(inLarge.buffers, said).toBeLessThanOrEqual(Math.max(2 * inSmall.buffers + 20, lookUpPages))
      expect(inLarge.buffers, said).toBeLessThanOrEqual(atMost)
    }
  })
})

import { expect, it } from 'vitest'
import { actorOf, addPerson, createTenant } from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { findPolicies } from './list-queries.ts'

const server = useOwnServer()

it('counting the agents of a policy stops at 10,000, and a scoped user reads at most 10,000 of their grants', async () => {
  const tenant = await createTenant(server)
  const { id: policyId } = await addPolicy(server, tenant.id)
  await fillAgents(server, tenant.id, { count: 30_000, environmentId: tenant.development, policyId })
  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await server.owner.query(
    `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
     select tenant_id, gen_random_uuid(), $2, id, now() from agents where tenant_id = $1`,
    [tenant.id, scoped.id],
  )
  await server.owner.query('vacuum analyze agents, agent_grants, policies')
  const all = actorOf(tenant)
  const granted = actorOf(tenant, { userId: scoped.id, role: 'member', accessScope: 'scoped' })
  const page = { sort: 'created_at', hasRules: true, limit: 50, offset: 0 } as const
  for (const [actor, most] of [
    [all, 3000],
    [granted, 50_000],
  ] as const) {
    const { buffers, plans } = await costOf(server, tenant.id, async (sql) => {
      const filters = { environmentId: undefined, search: undefined }
      const { rows } = await findPolicies(sql, actor, filters, page)
      expect(rows.find(({ id }) => id === policyId)?.agents).toBe(10_000)
    })
    expect(buffers, JSON.stringify(plans)).toBeLessThan(most)
  }
}, 120_000)

import { expect, it } from 'vitest'
import { addAgent, createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { currentProfiles } from './current-profiles.ts'
import { policiesOf } from './policies-of.ts'

const server = useTestServer()
const policyBytes = 300_000

it('reads policies in the order of the profiles, and stops at the limit', async () => {
  const tenant = await createTenant(server, { gate: 'off' })
  const rules = Array.from({ length: policyBytes / 2_000 }, (_, n) => ({
    name: `rule ${n}`,
    priority: n + 1,
    effect: 'deny',
    match: { tools: [`mcp:files/${n}`], when: [] },
    reason: 'x'.repeat(2_000),
  }))
  const agents: string[] = []
  for (let n = 0; n < 5; n++) {
    const given = { name: `large ${n}`, default_effect: 'deny', rules }
    const { status, body } = await tenant.owner.api.post('/policies', given)
    expect(status).toBe(201)
    const about = { environmentId: tenant.development, policyId: body.id, status: 'active' } as const
    // Agents with one policy need it once.
    agents.push(await addAgent(server, tenant.id, about), await addAgent(server, tenant.id, about))
  }
  const { db } = server.services
  const profiles = await currentProfiles(db, tenant.id, 'any', agents)
  const inOrder = agents.flatMap((id) => profiles.find(({ agentId }) => agentId === id) ?? [])
  const read = async (mostBytes: number) => [...(await policiesOf(db.reader(tenant.id), inOrder, mostBytes)).entries()]
  const all = await read(Number.MAX_SAFE_INTEGER)
  expect(all.map(([profile]) => profile)).toEqual(inOrder)
  for (const [, { bytes, snapshot }] of all) {
    const length = Buffer.byteLength(JSON.stringify(snapshot))
    expect(bytes).toBeGreaterThanOrEqual(length)
    expect(bytes).toBeLessThan(length * 1.1)
    expect(length).toBeGreaterThan(policyBytes)
  }
  for (const [mostBytes, policies] of [
    [1, 1],
    [policyBytes, 1],
    [2 * policyBytes, 2],
    [3 * policyBytes, 3],
  ] as const)
    expect((await read(mostBytes)).map(([profile]) => profile)).toEqual(inOrder.slice(0, 2 * policies))
})

it('counts content rules once for each set, and reads no more sets than fit', async () => {
  const tenant = await createTenant(server, { gate: 'off' })
  await server.owner.query(`update tenants set plan = 'pro' where id = $1`, [tenant.id])
  for (let n = 0; n < 10; n++) {
    const words = Array.from({ length: 20 }, (_, index) => `${index} ${'語'.repeat(190)}`)
    expect(
      (await tenant.owner.api.post('/content-patterns', { name: `W${n}`, group: 'g', kind: 'words', words })).status,
    ).toBe(201)
  }
  const agents: string[] = []
  for (let n = 0; n < 3; n++) {
    const { body } = await tenant.owner.api.post('/policies', { name: `P${n}`, dlp_enabled: true })
    await tenant.owner.api.put(`/policies/${body.id}/content-bindings`, {
      bindings: [{ group: 'g', on: 'results', action: 'flag' }],
    })
    const about = { environmentId: tenant.development, policyId: body.id, status: 'active' } as const
    agents.push(await addAgent(server, tenant.id, about), await addAgent(server, tenant.id, about))
  }
  const { db } = server.services
  const profiles = await currentProfiles(db, tenant.id, 'any', agents)
  const inOrder = agents.flatMap((id) => profiles.find(({ agentId }) => agentId === id) ?? [])
  const read = async (mostBytes: number) => [...(await policiesOf(db.reader(tenant.id), inOrder, mostBytes)).entries()]
  const all = await read(Number.MAX_SAFE_INTEGER)
  expect(all.map(([profile]) => profile)).toEqual(inOrder)
  const [, first] = all[0] ?? []
  const length = Buffer.byteLength(JSON.stringify(first?.content))
  expect(length).toBeGreaterThan(100_000)
  expect(first?.bytes).toBeGreaterThanOrEqual(length)
  // Agents with one policy share its content rules.
  expect(all[1]?.[1].content).toBe(first?.content)
  for (const [mostBytes, policies] of [
    [1, 1],
    [length + 1, 2],
    [2 * length + 1, 3],
  ] as const)
    expect((await read(mostBytes)).map(([profile]) => profile)).toEqual(inOrder.slice(0, 2 * policies))
})

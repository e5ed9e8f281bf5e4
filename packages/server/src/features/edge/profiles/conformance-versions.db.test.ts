import { expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { createTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

const rule = (tool: string) => ({ priority: 1, effect: 'allow', match: { tools: [tool] } })

/** Creates an approved agent under a policy at version 1. Returns its edge's next heartbeat. */
async function arrange() {
  const { owner, development } = await createTenant(server, { gate: 'off' })
  const policy = (await owner.api.post('/policies', { name: 'P', rules: [rule('mcp:files/read')] })).body
  const made = (await owner.api.post('/agents', { name: 'A', environment_id: development, policy_id: policy.id })).body
  const edge = apiClient(server.url, made.agent_key)
  const id = made.agent.id
  let seq = 0
  const beat = async (reported = {}) => {
    const body = { instance_id: 'i', seq: ++seq, edge_version: '1', agents: [{ agent_id: id, ...reported }] }
    return (await edge.post('/edge/heartbeat', body)).body.agents[0]
  }
  const profile = async () => (await edge.get(`/edge/agents/${id}/mission-profile`)).body
  return { owner, policy, at: `/policies/${policy.id}`, id, beat, profile }
}

it('the newest version is carried to the edge in the mission profile as policy_version', async () => {
  const { owner, policy, at, profile } = await arrange()
  expect(await profile()).toMatchObject({ policy_id: policy.id, policy_version: 1, policy: { name: 'P' } })
  await owner.api.put(at, { name: 'Q' })
  expect(await profile()).toMatchObject({ policy_version: 2, policy: { name: 'Q' } })
  expect((await owner.api.get(at)).body.version).toBe(2)
})

it('agents bound to the policy receive the restored configuration on their next heartbeat', async () => {
  const { owner, at, policy, beat, profile } = await arrange()
  const first = await beat()
  await owner.api.put(`${at}/rules/${policy.rules[0].id}`, { effect: 'deny' })
  const second = await beat()
  expect([first.policy_version, second.policy_version]).toEqual([1, 2])
  await owner.api.post(`${at}/versions/1/restore`)
  const third = await beat()
  expect(third.policy_version).toBe(3)
  expect(third.profile_hash).not.toBe(second.profile_hash)
  expect(await profile()).toMatchObject({ profile_hash: third.profile_hash, policy: { rules: [{ effect: 'allow' }] } })
})

it('the edge reports the version it enforces on every heartbeat, and the agent shows it as running', async () => {
  const { owner, policy, at, id, beat } = await arrange()
  const running = async () => (await owner.api.get(`/agents/${id}`)).body.running_policy
  expect(await running()).toBeNull()
  await beat({ policy_id: policy.id, policy_version: 1 })
  expect(await running()).toMatchObject({ id: policy.id, version: 1 })
  await owner.api.put(at, { name: 'Q' })
  expect(await running()).toMatchObject({ version: 1 })
  await beat({ policy_id: policy.id, policy_version: 2 })
  expect(await running()).toMatchObject({ id: policy.id, version: 2 })
})

it('a missing approval or a missing edge report is shown as missing, never as a match: such an agent has no drift', async () => {
  const { owner, policy, id, beat } = await arrange()
  const shown = async () => (await owner.api.get(`/agents/${id}`)).body
  expect(await shown()).toMatchObject({ approved_policy: null, running_policy: null, drift: null })
  await beat({ policy_id: policy.id, policy_version: 1 })
  expect(await shown()).toMatchObject({ approved_policy: null, running_policy: { version: 1 }, drift: null })
})

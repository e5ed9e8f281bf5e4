import { expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addAgent, createTenant } from '../../testing/arrange.ts'
import { addEdge, addPolicy, savePolicy } from '../../testing/arrange-agents.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

it('a review keeps what it was about when it was opened: policy, approval of record and running version', async () => {
  const tenant = await createTenant(server)
  const { api } = tenant.owner
  const policy = await addPolicy(server, tenant.id)
  const edge = await addEdge(server, tenant.id, tenant.development)
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
  const attest = () => api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  const beat = (policy_version: number) => {
    const agents = [{ agent_id: agentId, policy_id: policy.id, policy_version }]
    return edge.post('/edge/heartbeat', { instance_id: 'one', seq: policy_version, edge_version: '1', agents })
  }
  const first = (await attest()).body
  expect(first.subject).toEqual({ policy_id: policy.id, approved: null, running: null })
  await beat(1)
  await api.post(`/reviews/${first.id}/resolve`, { outcome: 'attested', comment: 'fine' })
  expect((await api.get(`/reviews/${first.id}`)).body.subject).toEqual(first.subject)
  await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
  await beat(2)
  const [change] = (await api.get('/reviews?status=pending')).body.data
  const at = (version: number) => ({ policy_id: policy.id, version })
  expect(change).toMatchObject({
    kind: 'change',
    environment_id: tenant.development,
    subject: { policy_id: policy.id, approved: at(1), running: at(2) },
  })
  const other = await addPolicy(server, tenant.id)
  await api.post(`/agents/${agentId}/assign-policy`, { policy_id: other.id })
  expect((await attest()).body.subject).toEqual({ policy_id: other.id, approved: at(1), running: at(2) })
  expect((await api.get(`/reviews/${change.id}`)).body.subject).toEqual(change.subject)
})

it('an agent without a policy and environment has an empty subject; an older review has none', async () => {
  const tenant = await createTenant(server)
  const agentId = await addAgent(server, tenant.id)
  const { body } = await tenant.owner.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  expect(body).toMatchObject({ environment_id: null, subject: { policy_id: null, approved: null, running: null } })
  await server.owner.query(
    `insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at)
     values ($1, $2, $3, 'change', 'pending', 'manager', now())`,
    [tenant.id, newId(), agentId],
  )
  const [older] = (await tenant.owner.api.get('/reviews?kind=change')).body.data
  expect(older).toMatchObject({ environment_id: null, subject: null })
})

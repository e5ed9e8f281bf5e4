import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { callApi, register, tokenMailedTo } from './call-api.ts'
import { sharedMandate } from './mandate-process.ts'

const shared = sharedMandate()

test('a mailed link decides a held call, and the approval works once', async () => {
  const server = shared()
  const owner = await register(server)
  const asOwner = (method: string, path: string, body?: unknown) =>
    callApi(server, method, path, { credential: owner.credential, body })
  await asOwner('PUT', '/governance-gate', { gate: 'off' })
  const environments = (await asOwner('GET', '/environments')).body.data
  const { id: environment_id } = environments.find(({ slug }: { slug: string }) => slug === 'production')
  const policy = (await asOwner('POST', '/policies', { name: 'careful', rules: [] })).body
  const [{ content_hash: policy_hash }] = (await asOwner('GET', `/policies/${policy.id}/versions`)).body.data
  const janitor = { name: 'janitor', environment_id, policy_id: policy.id }
  const { agent, agent_key } = (await asOwner('POST', '/agents', janitor)).body
  const asAgent = (method: string, path: string, body?: unknown) =>
    callApi(server, method, path, { credential: agent_key, body })

  const use = { args_digest: sha256('call'), policy_version: 1, policy_hash }
  const approval_id = randomUUID()
  const request = { approval_id, agent_id: agent.id, tool: 'mcp:files/delete', arguments: { path: '/tmp/old' } }
  const held = await asAgent('POST', '/edge/approvals', {
    ...request,
    ...use,
    policy_id: policy.id,
    reason: 'deletes',
  })
  expect(held).toMatchObject({ status: 201, body: { status: 'pending', assigned_role: 'owner' } })

  const token = await tokenMailedTo(server, owner.email, 'approve')
  const page = await fetch(`${server.url}/approve?token=${token}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('/tmp/old')
  expect((await asAgent('POST', `/edge/approvals/${approval_id}/consume`, use)).status).toBe(409)

  const form = new URLSearchParams({ token, outcome: 'approved', comment: 'go ahead' })
  expect((await fetch(`${server.url}/approve`, { method: 'POST', body: form })).status).toBe(200)
  expect((await fetch(`${server.url}/approve?token=${token}`)).status).toBe(410)
  const consumed = await asAgent('POST', `/edge/approvals/${approval_id}/consume`, use)
  expect(consumed).toMatchObject({ status: 200, body: { status: 'consumed', comment: 'go ahead' } })
  expect((await asAgent('POST', `/edge/approvals/${approval_id}/consume`, use)).status).toBe(409)

  const { data } = (await asOwner('GET', `/audit?resource_id=${approval_id}`)).body
  expect(data.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
    'approval.consumed',
    'approval.resolved',
    'approval.requested',
  ])
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

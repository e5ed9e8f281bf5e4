import { beforeEach, describe, expect, it } from 'vitest'
import { addPerson, auditEntries, createTenant, type TestPerson, type TestTenant } from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['findings'])
let tenant: TestTenant
let manager: TestPerson
let agentId: string

beforeEach(async () => {
  tenant = await createTenant(server)
  manager = await addPerson(server, tenant.id, { role: 'manager' })
  const member = await addPerson(server, tenant.id)
  const policy = await addPolicy(server, tenant.id)
  const body = { name: 'Scribe', environment_id: tenant.development, policy_id: policy.id }
  agentId = (await member.api.post('/agents', body)).body.agent.id
})

const move = (lifecycle_status: string) =>
  tenant.owner.api.post(`/agents/${agentId}/lifecycle`, { lifecycle_status, reason: 'because' })
const open = async () => {
  const { body } = await manager.api.get(`/findings?agent_id=${agentId}&status=open`)
  return body.data.map(({ type, severity }: { type: string; severity: string }) => [type, severity])
}
const pending = async () => (await manager.api.get('/reviews?status=pending')).body.data
const approveByReview = async (id: string) =>
  manager.api.post(`/reviews/${id}/resolve`, { outcome: 'approved', comment: 'looked at it' })

describe('approval_without_record', () => {
  it('opens when an agent is approved directly; the pending review stays, and its resolution closes the finding', async () => {
    expect((await move('approved')).body.approved_policy).toBeNull()
    expect(await open()).toEqual([['approval_without_record', 'low']])
    const [review] = await pending()
    expect(review).toMatchObject({ agent_id: agentId, kind: 'onboarding' })
    expect((await approveByReview(review.id)).status).toBe(200)
    expect(await open()).toEqual([])
    expect((await manager.api.get(`/agents/${agentId}`)).body.approved_policy).not.toBeNull()
    const entries = (await auditEntries(server, tenant.id)).filter(({ event_type }) =>
      event_type.startsWith('finding.'),
    )
    expect(entries.map(({ event_type, details }) => [event_type, details.type])).toEqual([
      ['finding.opened', 'approval_without_record'],
      ['finding.closed', 'approval_without_record'],
    ])
  })

  it('closes when an attestation sets the approval of record', async () => {
    await move('approved')
    const { body } = await manager.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
    await tenant.owner.api.post(`/reviews/${body.id}/resolve`, { outcome: 'attested', comment: 'looked at it' })
    expect(await open()).toEqual([])
  })

  it('closes when the agent is no longer approved, and opens again with the next direct approval', async () => {
    await move('approved')
    await move('blocked')
    expect(await open()).toEqual([])
    await move('approved')
    expect(await open()).toEqual([['approval_without_record', 'low']])
  })

  it('does not open for an agent whose review has set the approval of record', async () => {
    const [review] = await pending()
    await approveByReview(review.id)
    await move('blocked')
    await move('approved')
    expect(await open()).toEqual([])
  })

  it('does not count as a gap in coverage', async () => {
    await move('approved')
    expect((await manager.api.get(`/agents/${agentId}/execution-coverage`)).body.state).toBe('unknown')
  })
})

describe('archiving an agent', () => {
  it('closes the finding and supersedes the pending review, once', async () => {
    await move('approved')
    for (let time = 0; time < 2; time++) expect((await tenant.owner.api.delete(`/agents/${agentId}`)).status).toBe(204)
    expect(await open()).toEqual([])
    expect(await pending()).toEqual([])
    const { data } = (await manager.api.get('/reviews')).body
    expect(data).toMatchObject([{ agent_id: agentId, status: 'superseded' }])
    const resolved = (await auditEntries(server, tenant.id)).filter(
      ({ event_type }) => event_type === 'review.resolved',
    )
    expect(resolved).toMatchObject([{ details: { outcome: 'superseded' }, actor_user_id: tenant.owner.id }])
  })
})

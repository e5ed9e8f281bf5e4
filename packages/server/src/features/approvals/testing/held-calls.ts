import { randomUUID } from 'node:crypto'
import type { Approval } from '@mandate/contract/approvals'
import { expect } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant, type NewAgent, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import type { TestServer } from '../../../testing/start-test-server.ts'

/** Returns a valid request for an approval, with a new id. */
export function newRequest(agentId: string, rest: Record<string, unknown> = {}) {
  return {
    approval_id: randomUUID(),
    agent_id: agentId,
    tool: 'mcp:files/delete',
    args_digest: 'a'.repeat(64),
    arguments: { path: '/etc/passwd' },
    policy_id: randomUUID(),
    policy_version: 3,
    policy_hash: 'b'.repeat(64),
    rule_id: randomUUID(),
    rule_name: 'ask before deleting',
    reason: 'deletes files',
    ...rest,
  }
}

/**
 * Creates a tenant with a policy, an agent under this policy in the development environment, and an edge that serves the agent.
 */
export interface Scene {
  tenant: TestTenant
  edge: ApiClient
  agentId: string
  policy: TestPolicy
}

export async function createScene(server: TestServer, agent: NewAgent = {}): Promise<Scene> {
  const tenant = await createTenant(server)
  const environmentId = agent.environmentId ?? tenant.development
  const edge = await addEdge(server, tenant.id, environmentId)
  const policy = await addPolicy(server, tenant.id)
  const agentId = await addAgent(server, tenant.id, { policyId: policy.id, ...agent, environmentId })
  return { tenant, edge, agentId, policy }
}

type Asking = Pick<Scene, 'edge' | 'agentId'> & Partial<Pick<Scene, 'policy'>>

/** Requests an approval for a call under version 1 of the agent's policy, or without a policy version if the agent has no policy. */
export async function addPendingCall({ edge, agentId, policy }: Asking, rest = {}): Promise<Approval> {
  const under = policy && { policy_id: policy.id, policy_version: 1, policy_hash: policy.hash }
  const { status, body } = await edge.post('/edge/approvals', newRequest(agentId, { ...under, ...rest }))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** Requests an approval and approves it as the tenant's owner. */
export async function addApprovedCall(scene: Scene): Promise<Approval> {
  const { id } = await addPendingCall(scene)
  const { status, body } = await scene.tenant.owner.api.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** The body that an edge sends to consume an approval. */
export function useOf({ args_digest, policy_version, policy_hash }: Approval) {
  return { args_digest, policy_version, policy_hash }
}

export const consume = (edge: ApiClient, approval: Approval, rest = {}) =>
  edge.post(`/edge/approvals/${approval.id}/consume`, { ...useOf(approval), ...rest })

/** Moves an approval's expiry into the past. */
export async function passTime(server: TestServer, id: string): Promise<void> {
  const past = '2020-01-01T00:00:00.000Z'
  await server.owner.query('update approvals set expires_at = $2 where id = $1', [id, past])
  await server.owner.query('update approval_deadlines set expires_at = $2 where approval_id = $1', [id, past])
}

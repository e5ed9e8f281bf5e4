import type { CreatedDelegation, Delegation } from '../delegations.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

const delegation: Delegation = {
  id: ids.delegation,
  agent_id: ids.agent,
  subject_user_id: ids.user,
  environment_id: ids.development,
  parent_id: null,
  depth: 1,
  chain: [
    { type: 'user', id: ids.user, name: 'Ada' },
    { type: 'agent', id: ids.agent, name: 'Invoice reader' },
  ],
  tools: ['mcp:files/read*'],
  state: 'active',
  created_by: ids.user,
  created_at: '2026-03-02T08:00:00.000Z',
  expires_at: '2026-03-02T16:00:00.000Z',
  ended_at: null,
  ended_because: null,
  ended_by: null,
}

const created: CreatedDelegation = {
  id: ids.delegation,
  token: 'md_ and the signed delegation',
  expires_at: '2026-03-02T16:00:00.000Z',
}

export const delegationExamples: Examples = {
  listDelegations: { response: listOf(delegation) },
  createDelegation: {
    request: { agent_id: ids.agent, tools: ['mcp:files/read*'], expires_at: '2026-03-02T16:00:00.000Z' },
    response: created,
  },
  delegateOn: {
    request: {
      parent: ids.delegation,
      agent_id: ids.agent,
      tools: ['mcp:files/read_text'],
      expires_at: '2026-03-02T12:00:00.000Z',
    },
    response: { ...created, expires_at: '2026-03-02T12:00:00.000Z' },
  },
  getEndedDelegations: {
    response: {
      purpose: 'ended_delegations',
      tenant_id: ids.tenant,
      environment_id: ids.development,
      version: 3,
      since: 0,
      ended: [{ id: ids.delegation, expires_at: '2026-03-02T16:00:00.000Z' }],
      issued_at: '2026-03-02T09:00:00.000Z',
      signature: 'an Ed25519 signature in base64',
    },
  },
}

import type { Freeze, FreezeEdge } from '../freezes.ts'
import type { Examples } from './example.ts'
import { ids, listOf } from './ids.ts'

const freeze: Freeze = {
  id: ids.freeze,
  scope: 'environment',
  agent_id: null,
  environment_id: ids.development,
  name: 'Development',
  reason: 'A leaked key is being used',
  drill: false,
  active: true,
  agents: 212,
  approvals_ended: 3,
  created_by: ids.user,
  created_at: '2026-03-02T13:58:00.000Z',
  lifted_by: null,
  lifted_at: null,
  lift_reason: null,
  edges: { total: 12, confirmed: 11, unreachable: 1 },
  confirmed_all_at: null,
  audit_entry_id: ids.auditEntry,
}

const lifted: Freeze = {
  ...freeze,
  active: false,
  lifted_by: ids.owner,
  lifted_at: '2026-03-02T15:20:00.000Z',
  lift_reason: 'The key is revoked',
}

const confirmed: FreezeEdge = {
  edge: { id: ids.edge, name: 'Gateway of the development cluster' },
  agent: null,
  environment: { id: ids.development, name: 'Development', slug: 'development' },
  instance_id: 'edge-1',
  state: 'confirmed',
  after_ms: 8412,
  last_heartbeat_at: '2026-03-02T14:00:00.000Z',
  closes_at: '2026-03-02T14:02:30.000Z',
  agents: 12,
  kid: '0a1b2c3d4e5f6071',
  signature: 'an Ed25519 signature in base64',
}

export const freezeExamples: Examples = {
  previewFreeze: { response: { agents: 212, edges: 12, silent: 1, approvals: 3 } },
  createFreeze: {
    request: { scope: 'environment', environment_id: ids.development, reason: 'A leaked key is being used' },
    response: freeze,
  },
  listFreezes: { response: listOf(freeze) },
  getFreeze: { response: freeze },
  listFreezeEdges: { response: { data: [confirmed] } },
  liftFreeze: { request: { reason: 'The key is revoked' }, response: lifted },
}

import type { AuditEntry } from '../audit/audit.ts'
import type { Examples } from './example.ts'
import { hash, ids } from './ids.ts'
import { user } from './people.ts'

const entry: AuditEntry = {
  id: ids.auditEntry,
  source: 'control_plane',
  event_type: 'agent.lifecycle.changed',
  outcome: 'success',
  actor: { type: 'api_key', user_id: ids.user, name: user.display_name, email: user.email },
  api_key: { id: ids.apiKey, prefix: 'mk_0a1b2', name: 'Deployment pipeline' },
  resource: { type: 'agent', id: ids.agent, name: 'Invoice reader' },
  agent_id: ids.agent,
  environment_id: ids.development,
  details: { previous_state: 'proposed', new_state: 'blocked', reason: 'It deleted a table.' },
  request_id: 'req-1',
  ip: '203.0.113.7',
  user_agent: 'curl/8.9.0',
  created_at: '2026-03-02T08:30:00.000Z',
  seq: 1279,
  hash,
  previous_hash: hash,
}

export const auditExamples: Examples = {
  listAuditEntries: { response: { data: [entry], next_cursor: 'the cursor of the next page' } },
  getAuditProof: {
    response: {
      entries: 1281,
      first_at: '2026-01-12T08:00:00.000Z',
      head: { seq: 1280, chain_hash: hash },
      sealed_through: '2026-03-02T08:30:01.000Z',
      waiting: 1,
      last_verification: { at: '2026-03-02T04:23:00.000Z', valid: true, entries: 1279, took_ms: 310, by: null },
      hours: [{ start: '2026-03-02T08:00:00.000Z', entries: 2, sealed: 1 }],
    },
  },
  verifyAuditTrail: { response: { valid: true, entries: 1280, head: { seq: 1280, chain_hash: hash }, pending: 0 } },
  checkHealth: { response: { status: 'ok' } },
  checkReadiness: { response: { status: 'ready' } },
  readPolicyFileSchema: {
    response: { title: 'Mandate policy file', type: 'object', required: ['name', 'environment', 'rules'] },
  },
  readOpenApi: { response: { openapi: '3.1.0', info: { title: 'Mandate', version: '0.1.0' }, paths: {} } },
}

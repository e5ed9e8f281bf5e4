import type { Decision, DecisionReceipt } from '../decisions.ts'
import type { Examples } from './example.ts'
import { hash, ids } from './ids.ts'

const decision: Decision = {
  decision_id: ids.decision,
  agent: { id: ids.agent, name: 'Invoice reader' },
  edge: { id: ids.edge, name: 'eu-west' },
  environment_id: ids.development,
  tool: 'mcp:files/delete',
  effect: 'deny',
  mode: 'enforce',
  rule: { id: ids.rule, name: 'No deletes' },
  denied_because: 'rule',
  policy: { id: ids.policy, name: 'Files', version: 3, content_hash: hash },
  args_digest: hash,
  approval_id: null,
  session_id: 'thread-4711',
  on_behalf_of: null,
  chain: null,
  labels: null,
  content: null,
  threat: null,
  duration_us: 420,
  profile: { hash, seq: 7 },
  integrity: 'signed',
  receipt: {
    kid: '3f1c2a9b8d7e6f50',
    seq: 1,
    prev: '0'.repeat(64),
    hash,
    checked_at: '2026-01-01T00:00:00.400Z',
    anchored_by: ids.auditEntry,
  },
  at: '2026-01-01T00:00:00.000Z',
  received_at: '2026-01-01T00:00:00.400Z',
}

const receipt: DecisionReceipt = {
  format: 'mandate decision receipt',
  tenant_id: ids.tenant,
  key: {
    kid: '3f1c2a9b8d7e6f50',
    public_key_pem: '-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n',
    edge_id: ids.edge,
    attestation: 'the signature, base64',
  },
  record: {
    decision_id: ids.decision,
    agent_id: ids.agent,
    tool: 'mcp:files/delete',
    effect: 'deny',
    mode: 'enforce',
    rule_id: ids.rule,
    denied_because: 'rule',
    policy_id: ids.policy,
    policy_version: 3,
    policy_hash: hash,
    args_digest: hash,
    at: '2026-01-01T00:00:00.000Z',
    seq: 1,
    prev: '0'.repeat(64),
  },
  policy: { id: ids.policy, version: 3, content_hash: hash },
  previous_anchor: null,
  next_anchor: { seq: 1, hash, entry_id: ids.auditEntry },
  start: { seq: 0, hash: '0'.repeat(64) },
  links: [{ seq: 1, digest: hash, hash, signature: 'the signature, base64' }],
}

export const decisionExamples: Examples = {
  listDecisions: { response: { data: [decision] } },
  getDecisionTimeline: {
    response: {
      buckets: [{ start: '2026-01-01T00:00:00.000Z', counts: { allow: 41, deny: 1 } }],
      keys: [
        { key: 'allow', name: 'allow', total: 41 },
        { key: 'deny', name: 'deny', total: 1 },
      ],
    },
  },
  getDecision: { response: decision },
  getDecisionReceipt: { response: receipt },
  replayDecision: {
    response: {
      result: 'same',
      recorded: { effect: 'deny', rule: { id: ids.rule, name: 'No deletes' } },
      replayed: { effect: 'deny', rule: { id: ids.rule, name: 'No deletes' } },
      reason: 'version 3 of the policy decides the call as recorded',
    },
  },
  getUsage: {
    response: {
      from: '2026-01-01',
      to: '2026-01-01',
      total: { allow: 41, deny: 1, require_approval: 0 },
      data: [{ key: '2026-01-01', name: '2026-01-01', allow: 41, deny: 1, require_approval: 0 }],
    },
  },
}

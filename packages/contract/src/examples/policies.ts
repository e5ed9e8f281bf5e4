import type { Policy, PolicyVersion, Rule, SavedRule } from '../policies/policies.ts'
import type { Examples } from './example.ts'
import { hash, ids, listOf } from './ids.ts'
import { user } from './people.ts'

const ruleFields = {
  name: 'Keep system files',
  priority: 500,
  enabled: true,
  effect: 'deny',
  match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op: 'under', value: '/etc' }] },
  reason: 'System files stay as they are.',
} satisfies Omit<Rule, 'id'>

const limitedFields = {
  name: 'Refunds',
  priority: 400,
  enabled: true,
  effect: 'allow',
  match: { tools: ['mcp:stripe/refund'], when: [{ path: 'args.amount', op: 'lte', value: 50 }] },
  reason: '',
  limit: { count: 10, window_s: 3600 },
} satisfies Omit<Rule, 'id'>
const limitedRule: Rule = { id: ids.otherRule, ...limitedFields }

const rule: Rule = { id: ids.rule, ...ruleFields }

const fields = {
  name: 'Files',
  description: 'What agents may do with files.',
  environment_id: ids.development,
  override_mode: 'enforce',
  default_effect: 'deny',
  dlp_enabled: false,
} satisfies Partial<Policy>

export const policy: Policy = {
  id: ids.policy,
  tenant_id: ids.tenant,
  ...fields,
  version: 3,
  rules: [rule],
  agents: 4,
  created_at: '2026-01-20T09:00:00.000Z',
  updated_at: '2026-02-20T09:00:00.000Z',
}

const { rules: _rules, ...listed } = policy
const saved: Policy = { ...policy, warnings: [] }
const savedRule: SavedRule = { ...rule, policy_version: 3, warnings: [] }

const version: PolicyVersion = {
  version: 3,
  produced_by: 'rule_created',
  saved_by: { user_id: ids.user, display_name: user.display_name, email: user.email },
  saved_at: '2026-02-20T09:00:00.000Z',
  change_summary: { fields: [], rules_added: 1, rules_removed: 0, rules_changed: 0 },
  change_class: 'tightens',
  content_hash: hash,
}

const call = {
  tool: 'mcp:files/read',
  args: { path: '/etc/passwd' },
  agent: { name: 'Invoice reader' },
  environment: { slug: 'development' },
}

export const policyExamples: Examples = {
  listPolicies: { response: listOf(listed) },
  createPolicy: { request: { ...fields, rules: [ruleFields] }, response: { ...saved, version: 1, agents: 0 } },
  validatePolicy: { request: { ...fields, rules: [ruleFields] }, response: { valid: true, warnings: [] } },
  getPolicy: { response: { ...policy, rules: [limitedRule, rule] } },
  updatePolicy: { request: fields, response: saved },
  replacePolicy: { request: { ...fields, rules: [rule] }, response: saved },
  createRule: {
    request: limitedFields,
    response: { ...limitedRule, policy_version: 3, warnings: [] },
  },
  updateRule: { request: ruleFields, response: savedRule },
  simulatePolicy: {
    request: {
      calls: [call],
      document: { ...fields, rules: [ruleFields] },
      content: { bindings: [{ group: 'secrets', on: 'arguments', action: 'deny' }] },
      replay: { days: 7 },
    },
    response: {
      policy_version: null,
      results: [
        {
          tool: 'mcp:files/read',
          effect: 'deny',
          rule_id: ids.rule,
          reason: 'System files stay as they are.',
          undecided: null,
          over_limit: null,
          content: [],
          labels: [],
        },
      ],
      warnings: [],
      replay: {
        from: '2026-02-23T09:00:00.000Z',
        to: '2026-03-02T09:00:00.000Z',
        decisions: 120,
        complete: true,
        changed: 0,
        undecidable: 120,
        change_class: 'mixed',
        agents: { total: 3, affected: 0 },
        arguments: {
          decided: 0,
          missing: [{ path: 'args.amount', because: 'not_recorded', calls: 120 }],
        },
        matrix: {
          allow: { allow: 0, deny: 0, require_approval: 0, depends: 120 },
          deny: { allow: 0, deny: 0, require_approval: 0, depends: 0 },
          require_approval: { allow: 0, deny: 0, require_approval: 0, depends: 0 },
        },
        totals: [{ was: 'allow', would_be: null, calls: 120, enforced: 120 }],
        examples: [
          {
            tool: 'mcp:files/read',
            was: 'allow',
            would_be: null,
            rule_id: null,
            undecidable: ['args.path'],
            mode: 'enforce',
            policy_version: 2,
            calls: 120,
            last_at: '2026-03-02T08:00:00.000Z',
            agent: { id: ids.agent, name: 'Invoice reader' },
          },
        ],
      },
    },
  },
  listPolicyVersions: { response: listOf(version) },
  getPolicyVersion: {
    response: {
      ...version,
      snapshot: { ...fields, rules: [rule] },
      diff: { fields: [], rules: { added: [{ ...rule, change_class: 'tightens' }], removed: [], changed: [] } },
    },
  },
  restorePolicyVersion: { response: { ...saved, version: 4 } },
}

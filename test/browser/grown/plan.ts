import type { Input } from '@mandate/sdk'

// The organization of the pictures: a wholesaler with warehouses, a support desk and a finance desk. Nothing here is real.

type Rule = NonNullable<Input<'createPolicy'>['body']['rules']>[number]
type Effect = Rule['effect']

/** What agents of a policy call: the tool, and the share of its calls. `rule` is the position of the rule that decides. */
export interface Habit {
  tool: string
  effect: Effect
  rule?: number
  share: number
}

export interface PolicyPlan {
  name: string
  rules: Rule[]
  habits: Habit[]
}

const rule = (priority: number, effect: Effect, name: string, tools: string[], rest: object = {}): Rule => {
  const { when = [], reason = '' } = rest as { when?: Rule['match']['when']; reason?: string }
  return { name, priority, effect, match: { tools, when }, reason }
}

export const warehouse: PolicyPlan = {
  name: 'Warehouse reads',
  rules: [
    rule(10, 'allow', 'Reads', ['mcp:wms/read-*', 'mcp:files/read']),
    rule(20, 'deny', 'Stock levels', ['mcp:wms/write-stock'], { reason: 'Stock is written by people.' }),
    rule(30, 'require_approval', 'Files', ['mcp:files/write'], { reason: 'A person looks at what is written.' }),
    rule(40, 'deny', 'Mail', ['mcp:mail/*']),
    rule(50, 'allow', 'Model calls', ['model:chat/*']),
  ],
  habits: [
    { tool: 'mcp:wms/read-stock', effect: 'allow', rule: 0, share: 40 },
    { tool: 'mcp:wms/read-orders', effect: 'allow', rule: 0, share: 30 },
    { tool: 'mcp:files/read', effect: 'allow', rule: 0, share: 8 },
    { tool: 'model:chat/large', effect: 'allow', rule: 4, share: 20 },
    { tool: 'mcp:wms/write-stock', effect: 'deny', rule: 1, share: 0.4 },
    { tool: 'mcp:mail/send', effect: 'deny', rule: 3, share: 0.1 },
  ],
}

export const support: PolicyPlan = {
  name: 'Support',
  rules: [
    rule(10, 'deny', 'Never close accounts', ['mcp:crm/delete-*'], { reason: 'Accounts are closed by people.' }),
    rule(20, 'require_approval', 'Refunds above 200 EUR', ['mcp:stripe/refund'], {
      reason: 'Large refunds are a person’s decision.',
      when: [{ path: 'args.amount', op: 'gt', value: 20_000 }],
    }),
    rule(30, 'allow', 'Refunds', ['mcp:stripe/refund'], {
      when: [{ path: 'args.currency', op: 'in', value: ['eur', 'sek', 'nok'] }],
    }),
    rule(50, 'allow', 'Read the desk', ['mcp:crm/get-*', 'mcp:mail/read', 'mcp:files/read']),
  ],
  habits: [
    { tool: 'mcp:crm/get-order', effect: 'allow', rule: 3, share: 50 },
    { tool: 'mcp:crm/get-customer', effect: 'allow', rule: 3, share: 30 },
    { tool: 'mcp:mail/read', effect: 'allow', rule: 3, share: 15 },
    { tool: 'mcp:stripe/refund', effect: 'allow', rule: 2, share: 4 },
    { tool: 'mcp:stripe/refund', effect: 'require_approval', rule: 1, share: 0.3 },
    { tool: 'mcp:crm/delete-account', effect: 'deny', rule: 0, share: 0.2 },
  ],
}

export const finance: PolicyPlan = {
  name: 'Finance posting',
  rules: [
    rule(10, 'require_approval', 'Entries to closed periods', ['mcp:ledger/post-entry'], {
      reason: 'A closed period needs a person.',
      when: [{ path: 'args.period_closed', op: 'eq', value: true }],
    }),
    rule(20, 'allow', 'Post entries', ['mcp:ledger/post-entry']),
    rule(30, 'allow', 'Read the ledger', ['mcp:ledger/get-*', 'mcp:ledger/export']),
    rule(40, 'deny', 'Payments', ['mcp:bank/*'], { reason: 'Agents make no payments.' }),
  ],
  habits: [
    { tool: 'mcp:ledger/get-invoice', effect: 'allow', rule: 2, share: 60 },
    { tool: 'mcp:ledger/post-entry', effect: 'allow', rule: 1, share: 25 },
    { tool: 'mcp:ledger/export', effect: 'allow', rule: 2, share: 5 },
    { tool: 'mcp:ledger/post-entry', effect: 'require_approval', rule: 0, share: 0.2 },
    { tool: 'mcp:bank/transfer', effect: 'deny', rule: 3, share: 0.2 },
  ],
}

const desk = (name: string, space: string): PolicyPlan => ({
  name,
  rules: [
    rule(10, 'allow', 'Reads', [`mcp:${space}/read-*`, `mcp:${space}/search`]),
    rule(20, 'require_approval', 'Sends', [`mcp:${space}/send`], { reason: 'A person reads what leaves the house.' }),
    rule(30, 'deny', 'Deletes', [`mcp:${space}/delete-*`]),
  ],
  habits: [
    { tool: `mcp:${space}/read-page`, effect: 'allow', rule: 0, share: 60 },
    { tool: `mcp:${space}/search`, effect: 'allow', rule: 0, share: 30 },
    { tool: `mcp:${space}/send`, effect: 'require_approval', rule: 1, share: 0.1 },
    { tool: `mcp:${space}/delete-page`, effect: 'deny', rule: 2, share: 0.15 },
  ],
})

const transport = desk('Transport', 'routes')
const people = desk('People desk', 'hr')
const suppliers = desk('Supplier desk', 'portal')
export const research = desk('Web research', 'web')
const security = desk('Security desk', 'siem')
const legal = desk('Legal documents', 'contracts')

export const policies = [warehouse, support, finance, transport, people, suppliers, research, security, legal] as const

export type Place = 'production' | 'staging' | 'development'

export interface AgentPlan {
  name: string
  policy?: PolicyPlan
  environment: Place
  /** The edge that serves the agent. Without one, the agent never reports. */
  edge?: string
  /** Calls in a usual hour. */
  pace: number
}

const serves = (edge: string, environment: Place, policy: PolicyPlan, names: Record<string, number>): AgentPlan[] =>
  Object.entries(names).map(([name, pace]) => ({ name, policy, environment, edge, pace }))

export const agents: readonly AgentPlan[] = [
  ...serves('hall-3-a', 'production', warehouse, {
    'warehouse-forecaster': 90,
    'stock-anomaly-watch': 30,
    'returns-router': 14,
  }),
  ...serves('hall-3-b', 'production', warehouse, { 'dock-scheduler': 18, 'pallet-counter': 12 }),
  ...serves('cloud-1', 'production', support, {
    'support-triage': 70,
    'chat-handover': 44,
    'returns-letter-writer': 9,
    'warranty-checker': 16,
  }),
  ...serves('cloud-1', 'production', finance, {
    'invoice-matcher': 64,
    'ledger-reconciler': 40,
    'dunning-writer': 8,
    'expense-checker': 12,
    'fraud-second-look': 22,
  }),
  ...serves('cloud-2', 'production', suppliers, {
    'supplier-onboarding': 10,
    'customs-classifier': 28,
    'packaging-advisor': 7,
    'quality-report-reader': 11,
  }),
  ...serves('cloud-2', 'production', research, {
    'price-watcher': 52,
    'energy-price-poller': 34,
    'recall-notice-watch': 15,
    'docs-translator-nordic-languages-and-baltic-languages': 6,
  }),
  ...serves('cloud-2', 'production', people, { 'hr-policy-answers': 20, 'leave-calendar-sync': 10 }),
  ...serves('cloud-2', 'production', security, { 'security-alert-triage': 48, 'incident-summarizer': 9 }),
  ...serves('cloud-2', 'production', legal, { 'tender-screening': 8 }),
  ...serves('north-1', 'production', transport, {
    'route-planner-north': 36,
    'route-planner-south': 33,
    'carrier-quotes': 17,
  }),
  ...serves('staging-1', 'staging', people, { 'interview-scheduler': 5 }),
  ...serves('staging-1', 'staging', finance, { 'vat-return-drafter': 4 }),
  ...serves('staging-1', 'staging', warehouse, { 'shelf-label-writer': 6 }),
  ...serves('laptop-edge', 'development', research, { 'newsletter-drafter': 3, 'sales-call-notes': 2 }),
  ...serves('laptop-edge', 'development', security, { 'dependency-updater': 7, 'ci-failure-explainer': 9 }),
  { name: 'contract-reader', policy: legal, environment: 'production', pace: 0 },
  { name: 'forklift-telemetry', policy: warehouse, environment: 'production', pace: 0 },
  { name: 'meeting-notes', environment: 'production', pace: 0 },
  { name: 'slide-builder', environment: 'development', pace: 0 },
]

export const edges: readonly { name: string; environment: Place }[] = [
  { name: 'hall-3-a', environment: 'production' },
  { name: 'hall-3-b', environment: 'production' },
  { name: 'cloud-1', environment: 'production' },
  { name: 'cloud-2', environment: 'production' },
  { name: 'north-1', environment: 'production' },
  { name: 'staging-1', environment: 'staging' },
  { name: 'laptop-edge', environment: 'development' },
]

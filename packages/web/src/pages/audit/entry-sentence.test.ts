import { expect, it } from 'vitest'
import { auditEvents } from '../../../../server/src/audit/events.ts'
import { type Entry, sentenceOf } from './entry-sentence.ts'

const mara = { type: 'person', user_id: 'u1', name: 'Mara Lindqvist', email: 'm@norrvik.example' }
const entryOf = (event_type: string, rest: Partial<Entry> = {}) =>
  ({
    event_type,
    actor: mara,
    resource: { type: 'agent', id: 'r1', name: 'price-watcher' },
    details: {},
    ...rest,
  }) as Entry
const textOf = (entry: Entry, names = {}) => {
  const { actor, before, object, after } = sentenceOf(entry, names)
  return `${actor} ${before}${object ? ` ${object}` : ''}${after}`.replaceAll('\u00a0', ' ')
}

it.each(Object.keys(auditEvents))('has a sentence for %s', (event) => {
  const text = textOf(entryOf(event))
  expect(text).not.toContain('recorded')
  expect(text).not.toContain('#')
  expect(text).not.toContain('undefined')
})

it.each(Object.keys(auditEvents))('has an object for %s of a person on the own account', (event) => {
  const own = { type: 'user', id: 'u1', name: 'Mara Lindqvist' }
  for (const details of [{}, { email_verified: true }, { mfa_enrolled: true }, { sessions: 1 }])
    expect(textOf(entryOf(event, { resource: own, details }))).not.toMatch(/ (?:of|for|to|from)$/)
})

it.each([
  ['agent.suspended', { details: { reason: 'Moves away' } }, 'Mara Lindqvist suspended price-watcher, “Moves away”'],
  [
    'user.role_changed',
    { resource: { type: 'user', id: 'u2', name: 'Petra' }, details: { old_role: 'member', new_role: 'manager' } },
    'Mara Lindqvist made Petra manager, was member',
  ],
  ['user.signed_in', { resource: { type: 'user', id: 'u1', name: 'Mara Lindqvist' } }, 'Mara Lindqvist signed in'],
  [
    'finding.opened',
    { actor: { type: 'system', user_id: null, name: 'system', email: '' }, details: { type: 'coverage_gap' } },
    'Mandate opened the finding “Coverage gap” on price-watcher',
  ],
  [
    'policy.rule_updated',
    { resource: { type: 'policy', id: 'p', name: 'Warehouse' }, details: { version: 9, rule_name: 'Stock' } },
    'Mara Lindqvist changed the rule Stock of Warehouse, version 9',
  ],
  [
    'approval.requested',
    {
      agent_id: 'a1',
      actor: { type: 'agent', user_id: null, name: 'stock-keeper', email: '' },
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
    },
    'stock-keeper asked for the approval of a call: mcp:mail/send',
  ],
  [
    'approval.consumed',
    {
      agent_id: 'a1',
      actor: { type: 'edge', user_id: null, name: 'Sandbox edge', email: '' },
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
    },
    'The edge Sandbox edge used the approval of a call of stock-keeper: mcp:mail/send',
  ],
  [
    'edge.decisions_anchored',
    {
      actor: { type: 'edge', user_id: null, name: 'Sandbox edge', email: '' },
      resource: { type: 'edge', id: 'e', name: 'Sandbox edge' },
      details: { seq: 7 },
    },
    'The edge Sandbox edge put the hash of decision 7 of Sandbox edge into the audit trail',
  ],
  [
    'approval.resolved',
    {
      agent_id: 'a1',
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
      details: { outcome: 'approved' },
    },
    'Mara Lindqvist approved a call of stock-keeper: mcp:mail/send',
  ],
  [
    'agent.created',
    { environment_id: 'e1', api_key: { id: 'k', prefix: 'mk_1', name: 'ci' }, actor: { ...mara, type: 'api_key' } },
    'Mara Lindqvist (key ci) registered price-watcher in Production',
  ],
  [
    'user.profile_updated',
    { resource: { type: 'user', id: 'u1', name: 'Mara Lindqvist' }, details: { email_verified: true } },
    'Mara Lindqvist verified their address',
  ],
  [
    'finding.closed',
    { actor: { type: 'system', user_id: null, name: 'system', email: '' }, details: { type: 'unapproved_running' } },
    'Mandate closed the finding “Runs without approval” on price-watcher',
  ],
  [
    'approval.expired',
    {
      actor: { type: 'system', user_id: null, name: 'system', email: '' },
      agent_id: 'a1',
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
      details: { previous_state: 'pending', reason: 'time' },
    },
    'Mandate ended the request for approval of a call of stock-keeper because its time was over: mcp:mail/send',
  ],
  [
    'approval.expired',
    {
      agent_id: 'a1',
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
      details: { previous_state: 'pending', reason: 'agent_stopped', ended_because: 'frozen', freeze_id: 'f1' },
    },
    'A freeze by Mara Lindqvist ended the request for approval of a call of stock-keeper: mcp:mail/send',
  ],
  [
    'approval.expired',
    {
      agent_id: 'a1',
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
      details: { previous_state: 'approved', reason: 'agent_stopped', ended_because: 'suspended' },
    },
    'Mara Lindqvist ended the approval of a call of stock-keeper because the agent was suspended: mcp:mail/send',
  ],
  [
    'approval.expired',
    {
      agent_id: 'a1',
      resource: { type: 'approval', id: 'x', name: 'mcp:mail/send' },
      details: { previous_state: 'approved', reason: 'agent_stopped' },
    },
    'Mara Lindqvist ended the approval of a call of stock-keeper because the agent was stopped: mcp:mail/send',
  ],
  [
    'review.resolved',
    {
      resource: { type: 'review', id: 'r', name: 'price-watcher' },
      details: { outcome: 'approved', comment: 'As agreed', approved: { policy_id: 'p1', version: 2 } },
    },
    'Mara Lindqvist approved price-watcher with Warehouse, version 2, “As agreed”',
  ],
  [
    'review.resolved',
    { details: { outcome: 'attested', approved: { policy_id: 'gone', version: null } } },
    'Mara Lindqvist attested price-watcher with a policy',
  ],
  [
    'review.resolved',
    {
      source: 'edge',
      actor: { type: 'edge', user_id: null, name: 'eu-1', email: '' },
      details: { outcome: 'superseded' },
    },
    'Mandate closed a review of price-watcher that is no longer needed, after a report of the edge eu-1',
  ],
  [
    'review.opened',
    {
      source: 'edge',
      actor: { type: 'agent', user_id: null, name: 'price-watcher', email: '' },
      details: { kind: 'change' },
    },
    'Mandate opened a change review of price-watcher, after a report of its edge',
  ],
  [
    'finding.closed',
    {
      source: 'edge',
      actor: { type: 'agent', user_id: null, name: 'price-watcher', email: '' },
      details: { type: 'coverage_gap' },
    },
    'Mandate closed the finding “Coverage gap” on price-watcher, after a report of its edge',
  ],
  [
    'agent.policy_assigned',
    { details: { new_policy_id: 'p1', policy_name: 'Stock # 2', policy_version: 3 } },
    'Mara Lindqvist assigned price-watcher the policy Stock # 2, version 3',
  ],
  ['agent.updated', {}, 'Mara Lindqvist changed price-watcher'],
  [
    'agent.updated',
    { details: { fields: ['name', 'owner_user_id'], old_owner_name: null, new_owner_name: 'Bob # 2' } },
    'Mara Lindqvist changed price-watcher: name, owner (Bob # 2, was nobody)',
  ],
  [
    'environment.updated',
    {
      resource: { type: 'environment', id: 'e', name: 'Shop' },
      details: {
        changes: [
          { field: 'name', from: 'Shop #1', to: 'Shop' },
          { field: 'is_production', from: false, to: true },
        ],
        approvals_assigned_to_owners: 2,
      },
    },
    'Mara Lindqvist changed the environment Shop: name (Shop, was Shop #1), production (on, was off); 2 pending approvals are assigned to owners',
  ],
  [
    'freeze.lifted',
    { resource: { type: 'freeze', id: 'f1', name: 'Production' }, details: { reason: 'Fixed' } },
    'Mara Lindqvist lifted the freeze of Production, “Fixed”',
  ],
  [
    'api_key.created',
    {
      resource: { type: 'api_key', id: 'k', name: 'nightly export' },
      environment_id: 'e1',
      details: { scopes: ['audit:read', 'agents:*', 'edges:*', 'tools:*'], expires_at: '2999-01-01T00:00:00.000Z' },
    },
    'Mara Lindqvist created the API key nightly export bound to Production, scopes audit:read, agents:*, edges:* and 1 more, until 1 Jan 2999',
  ],
  [
    'api_key.created',
    { resource: { type: 'api_key', id: 'k', name: 'ci' }, details: { scopes: [] } },
    'Mara Lindqvist created the API key ci, all scopes, without expiry',
  ],
  [
    'api_key.created',
    { resource: { type: 'api_key', id: 'k', name: 'of an earlier version' } },
    'Mara Lindqvist created the API key of an earlier version',
  ],
  [
    'api_key.revoked',
    {
      resource: { type: 'api_key', id: 'k', name: 'ci' },
      details: { because: 'user_removed', created_by: 'u2', created_by_name: 'Bob # 2' },
    },
    'Mara Lindqvist revoked the API key ci of Bob # 2, by removing the person',
  ],
  [
    'api_key.revoked',
    { resource: { type: 'api_key', id: 'k', name: 'ci' }, details: { because: 'user_removed', created_by: 'u1' } },
    'Mara Lindqvist revoked the API key ci, by leaving',
  ],
  [
    'api_key.revoked',
    { resource: { type: 'api_key', id: 'k', name: 'ci' }, details: { created_by: 'u3' } },
    'Mara Lindqvist revoked the API key ci of Petra',
  ],
  [
    'api_key.revoked',
    { resource: { type: 'api_key', id: 'k', name: 'ci' }, details: { created_by: 'u1' } },
    'Mara Lindqvist revoked the API key ci',
  ],
  [
    'user.invited',
    {
      resource: { type: 'user', id: 'u2', name: 'ada@norrvik.example' },
      details: { role: 'manager', read_only: true, access_scope: 'all' },
    },
    'Mara Lindqvist invited ada@norrvik.example as manager, read-only',
  ],
  [
    'user.joined',
    {
      resource: { type: 'user', id: 'u1', name: 'Mara Lindqvist' },
      details: { role: 'manager', read_only: true, access_scope: 'scoped' },
    },
    'Mara Lindqvist joined as manager, read-only, limited access',
  ],
  [
    'user.role_changed',
    {
      resource: { type: 'user', id: 'u2', name: 'Petra' },
      details: { old_role: 'viewer', new_role: 'manager', read_only: true },
    },
    'Mara Lindqvist made Petra manager (read-only), was viewer',
  ],
  [
    'user.removed',
    { resource: { type: 'user', id: 'u2', name: 'Bob' }, details: { agents_owned: 2 } },
    'Mara Lindqvist removed Bob; 2 agents have no owner now',
  ],
  [
    'edge.revoked',
    { resource: { type: 'edge', id: 'g', name: 'eu-1' }, details: { because: 'environment_deleted' } },
    'Mara Lindqvist revoked the edge eu-1, because its environment was deleted',
  ],
  [
    'delegation.created',
    {
      resource: { type: 'delegation', id: 'd', name: 'price-watcher' },
      details: { tools: ['mcp:files/*'], expires_at: '2999-01-01T00:00:00.000Z' },
    },
    'Mara Lindqvist delegated to price-watcher: mcp:files/*, until 1 Jan 2999',
  ],
  ['later.event', {}, 'Mara Lindqvist recorded later.event of price-watcher'],
])('says %s', (event, rest, text) => {
  expect(
    textOf(entryOf(event, rest as Partial<Entry>), {
      a1: 'stock-keeper',
      e1: 'Production',
      p1: 'Warehouse',
      u3: 'Petra',
    }),
  ).toBe(text)
})

it('keeps a name that looks like a placeholder', () => {
  const entry = entryOf('agent.archived', { resource: { type: 'agent', id: 'r', name: '# 1' } })
  expect(textOf(entry)).toContain('archived # 1')
})

const policy = { type: 'policy', id: 'p', name: 'Warehouse' }

it.each([
  ['policy.updated', { version: 9 }, { tab: 'versions', version: '9' }],
  ['policy.rule_deleted', { version: 3 }, { tab: 'versions', version: '3' }],
  ['policy.restored', { version: 4, restored_from: 1 }, { tab: 'versions', version: '4' }],
  ['policy.created', {}, { tab: 'versions', version: '1' }],
  ['policy.content_bindings_updated', { version: 2 }, { tab: 'content' }],
])('%s links to what it changed', (event, details, search) => {
  expect(sentenceOf(entryOf(event, { resource: policy, details }), {}).link).toMatchObject({
    to: '/policies/p',
    search,
  })
})

it.each([
  ['agent.suspended', {}, '/agents/r1', undefined],
  ['agent.policy_assigned', { details: { new_policy_id: 'p1' } }, '/agents/r1', '/policies/p1'],
  ['review.opened', { agent_id: 'a1', resource: { type: 'review', id: 'v', name: 'x' } }, '/agents/a1', '/reviews/v'],
  ['finding.opened', { agent_id: 'a1', resource: { type: 'finding', id: 'n', name: 'x' } }, '/agents/a1', undefined],
  ['freeze.lifted', { resource: { type: 'freeze', id: 'f1', name: 'x' } }, undefined, '/freezes/f1'],
  [
    'approval.expired',
    { agent_id: 'a1', resource: { type: 'approval', id: 'c', name: 'x' }, details: { freeze_id: 'f1' } },
    '/agents/a1',
    '/approvals',
  ],
  ['policy.deleted', { resource: policy }, undefined, undefined],
  ['user.removed', { agent_id: 'a1', resource: { type: 'user', id: 'u2', name: 'Petra' } }, '/audit', undefined],
])('%s links to its object and to more about the entry', (event, rest, objectTo, to) => {
  const sentence = sentenceOf(entryOf(event, rest as Partial<Entry>), {})
  expect([sentence.objectTo, sentence.link?.to]).toEqual([objectTo, to])
})

it('a person links to what the person did, also after the removal', () => {
  const bob = { type: 'user', id: 'u2', name: 'Bob' }
  expect(sentenceOf(entryOf('user.removed', { resource: bob }), {})).toMatchObject({
    object: 'Bob',
    objectTo: '/audit',
    objectSearch: { actor_id: 'u2', tab: 'all' },
  })
})

it.each([['user.invited'], ['user.invitation.revoked']])(
  'the person of %s, who may have done nothing, links to what was done to the person',
  (event) => {
    const eve = { type: 'user', id: 'u3', name: 'eve@example.com' }
    expect(sentenceOf(entryOf(event, { resource: eve }), {})).toMatchObject({
      objectTo: '/audit',
      objectSearch: { resource_type: 'user', resource_id: 'u3', tab: 'all' },
    })
  },
)

it('an entry of a policy that is gone, or without a version, has no link', () => {
  expect(sentenceOf(entryOf('policy.deleted', { resource: policy, details: { version: 2 } }), {}).link).toBeUndefined()
  expect(sentenceOf(entryOf('policy.updated', { resource: policy }), {}).link).toBeUndefined()
})

it.each(Object.keys(auditEvents))('a "#" in the names of %s does not move the object', (event) => {
  const words = ['rule_name', 'agent_name', 'environment_name', 'reason', 'comment', 'policy_name', 'server', 'source']
  const entryWith = (sign: string): Entry =>
    entryOf(event, {
      actor: { ...mara, name: `Mara ${sign}1` } as Entry['actor'],
      resource: { type: 'policy', id: 'p', name: `Payments ${sign}2` },
      agent_id: 'a',
      environment_id: 'e',
      details: Object.fromEntries(words.map((word) => [word, `${word} ${sign}3`])),
    })
  const names = (sign: string) => ({ a: `Agent ${sign}4`, e: `Production ${sign}5` })
  const partsOf = (sign: string) => sentenceOf(entryWith(sign), names(sign))
  const plain = JSON.stringify(partsOf('§')).replaceAll('§', '#')
  expect(JSON.stringify(partsOf('#'))).toBe(plain)
})

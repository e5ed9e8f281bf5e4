import type { Approval } from '@mandate/contract/approvals'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PolicyOfCall } from '../stored/link-queries.ts'
import { renderApproval } from './approval-page.ts'

const approval: Approval = {
  id: '00000000-0000-7000-8000-000000000001',
  agent_id: '00000000-0000-7000-8000-000000000002',
  agent_name: 'agent',
  environment_id: null,
  tool: 'mcp:files/delete',
  args_digest: 'a'.repeat(64),
  arguments: { path: '/tmp' },
  arguments_exact: true,
  session_id: null,
  on_behalf_of: null,
  chain: [],
  labels: [],
  content: [],
  edge: null,
  policy_id: '00000000-0000-7000-8000-000000000003',
  policy_version: 1,
  policy_hash: 'b'.repeat(64),
  rule_id: null,
  rule_name: null,
  reason: '',
  status: 'pending',
  assigned_role: 'manager',
  requested_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:15:00.000Z',
  resolved_by: null,
  resolved_at: null,
  comment: null,
  ended_because: null,
  freeze_id: null,
  consumed_at: null,
}
const approvedPolicy = {
  name: 'Policy',
  approved_policy_id: approval.policy_id,
  approved_version: 1,
  approved_name: 'Policy',
}
const render = (rest: Partial<Approval>, policy: Partial<PolicyOfCall> = {}) =>
  renderApproval(
    {
      approval: { ...approval, ...rest },
      policy: { ...approvedPolicy, ...policy },
      person: { displayName: '', email: 'a@b.c' },
    },
    'token',
  )
const tagsOf = (page: string) => page.match(/<[^>]*>/g)

it('no text of an agent, an edge or a policy becomes an HTML element', () => {
  const expected = tagsOf(render({}))
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('</pre><script>', `"><form action='//x'>`, '<!--'),
  )
  fc.assert(
    fc.property(hostile, hostile, fc.constantFrom(approval.policy_id, approval.agent_id), (text, key, id) => {
      const page = render(
        { agent_name: text, tool: text, reason: text, rule_name: text, arguments: { [key]: [text] } },
        { name: text, approved_name: text, approved_policy_id: id },
      )
      expect(tagsOf(page)).toEqual(expected)
    }),
  )
})

it('says so if there are no arguments, or no rule or reason', () => {
  const page = render({ arguments: null })
  expect(page).toContain('The edge shows none of them.')
  expect(page).toContain('none given')
  expect(page).toContain('the default of the policy')
})

it('each form field has a label or a name, and the page has a language and one heading', () => {
  const page = render({})
  expect(page).toContain('<html lang="en">')
  expect(page.match(/<h1>/g)).toHaveLength(1)
  expect(page).toContain('<label for="comment">')
  expect(page.match(/<button name="outcome" value="(approved|rejected)">[^<]+</g)).toHaveLength(2)
  expect(page).toContain('<form method="post" action="approve">')
})

it('links to the approval in the dashboard, without the token', () => {
  expect(render({})).toContain(`<a href="approvals?open=${approval.id}">Open this approval in the dashboard</a>`)
})

it.each([
  [{}, 'the same version'],
  [{ approved_version: 2 }, 'version 2. The agent runs another version than the approved one'],
  [
    { approved_policy_id: approval.agent_id, approved_name: 'Other' },
    'Other, version 1. The agent runs another version than the approved one',
  ],
  [{ approved_policy_id: null }, 'none: nobody has approved a policy version for this agent'],
])('says whether the version of the call is approved: %j', (policy, text) => {
  expect(render({}, policy)).toContain(`<dt>Approved policy</dt><dd>${text}</dd>`)
})

import type { Schema } from '@mandate/sdk'
import { expect, test } from 'vitest'
import { factsOf } from './entry-facts.ts'

const agent = '01a2267b-0000-7000-8000-000000000001'
const other = '01a2267b-0000-7000-8000-000000000002'
const entry = (details: Schema<'AuditEntry'>['details']): Schema<'AuditEntry'> => ({
  id: '01a2267b-0000-7000-8000-000000000003',
  source: 'control_plane',
  event_type: 'user.role_changed',
  outcome: 'success',
  actor: { type: 'user', user_id: other, name: 'Mara', email: 'mara@norrvik.example' },
  resource: { type: 'user', id: other, name: 'ada@norrvik.example' },
  details,
  request_id: 'r1',
  ip: '10.0.0.7',
  user_agent: '',
  created_at: '2026-03-02T14:00:00.000Z',
  seq: 12,
})

const valuesOf = (details: Schema<'AuditEntry'>['details'], names = {}) =>
  Object.fromEntries(factsOf(entry(details), names).map(({ label, value }) => [label, value]))

test('says who did what to which object, and each detail as a field with its value', () => {
  expect(
    valuesOf({ old_role: 'member', new_role: 'manager', read_only: true, scopes: ['audit:read'], reason: null }),
  ).toMatchObject({
    Who: 'Mara, mara@norrvik.example',
    Object: 'user: ada@norrvik.example',
    'Old role': 'member',
    'New role': 'manager',
    'Read only': 'yes',
    'Scopes, 1': 'audit:read',
    Reason: 'none',
    'Address of the client': '10.0.0.7',
    'Place in the trail': '12',
  })
})

test('shows the name of an object instead of its id, and marks an id without a name', () => {
  const facts = factsOf(entry({ agent_id: agent, other_id: other }), { [agent]: 'price-watcher' })
  expect(facts).toContainEqual({ label: 'Agent', value: 'price-watcher' })
  expect(facts).toContainEqual({ label: 'Other id', value: other, isId: true })
})

test('shows the name of an object once, if it still has the name', () => {
  const details = { approved: { policy_id: agent, policy_name: 'Starter', version: 2 } }
  const now = valuesOf(details, { [agent]: 'Starter' })
  expect(now).toMatchObject({ 'Approved, policy': 'Starter', 'Approved, version': '2' })
  expect(now).not.toHaveProperty('Approved, policy name')
  expect(valuesOf(details, { [agent]: 'Renamed' })).toMatchObject({
    'Approved, policy': 'Renamed',
    'Approved, policy name': 'Starter',
  })
  expect(valuesOf(details)).toMatchObject({ 'Approved, policy id': agent, 'Approved, policy name': 'Starter' })
})

test('gives the parts of an object and of a list fields of their own, and says if there are more', () => {
  expect(valuesOf({ approved: { version: 2, rules: [{ name: 'reading' }] } })).toMatchObject({
    'Approved, version': '2',
    'Approved, rules, 1, name': 'reading',
  })
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field_${at}`, at]))
  const facts = factsOf(entry(many), {})
  expect(facts.filter(({ label }) => label.startsWith('Field '))).toHaveLength(50)
  expect(facts.slice(-3).map(({ label }) => label)).toEqual([
    'More details',
    'Address of the client',
    'Place in the trail',
  ])
  expect(valuesOf({ time: 'noon' })).toMatchObject({ Time: expect.stringContaining('2026'), 'Detail: Time': 'noon' })
})

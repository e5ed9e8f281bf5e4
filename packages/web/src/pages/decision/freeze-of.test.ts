import { expect, test } from 'vitest'
import { freezeOf } from './freeze-of.ts'

const freeze = {
  id: 'f1',
  scope: 'environment',
  agent_id: null,
  environment_id: 'production',
  drill: false,
  created_at: '2026-03-01T10:00:00.000Z',
  lifted_at: '2026-03-01T11:00:00.000Z',
} as const
const decision = { agent: { id: 'a1', name: 'desk' }, environment_id: 'production', at: '2026-03-01T10:30:00.000Z' }

test('a call belongs to the freeze that covered its agent at that time', () => {
  expect(freezeOf(decision, [freeze])?.id).toBe('f1')
  expect(freezeOf(decision, [{ ...freeze, scope: 'agent', agent_id: 'a1', environment_id: null }])?.id).toBe('f1')
  expect(freezeOf(decision, [{ ...freeze, scope: 'organization', environment_id: null, lifted_at: null }])?.id).toBe(
    'f1',
  )
})

test('drills, freezes of other targets and freezes of another time do not count', () => {
  for (const other of [
    { ...freeze, drill: true },
    { ...freeze, environment_id: 'development' },
    { ...freeze, scope: 'agent' as const, agent_id: 'a2', environment_id: null },
    { ...freeze, created_at: '2026-03-01T10:30:01.000Z', lifted_at: null },
    { ...freeze, lifted_at: '2026-03-01T10:29:59.000Z' },
  ])
    expect(freezeOf(decision, [other])).toBeUndefined()
})

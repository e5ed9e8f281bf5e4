import { expect, it } from 'vitest'
import { callsOf } from './replay.ts'

const replay = { from: '2026-11-16T14:00:00.000Z', to: '2026-11-23T14:31:00.000Z' }
const example = {
  tool: 'mcp:mail/read',
  was: 'allow',
  mode: 'enforce',
  policy_version: 2,
  agent: { id: 'a', name: 'triage' },
} as const

it('the link of an example has the filters that its calls have in common', () => {
  const same = { tool: 'mcp:mail/read', mode: 'enforce', ...replay, policy_id: 'p' }
  expect(callsOf(example, replay, 'p')).toEqual({ ...same, effect: 'allow' })
  expect(callsOf({ ...example, was: 'require_approval' }, replay, 'p')).toEqual(same)
})

it('calls that name no policy are found by their agent', () => {
  const found = callsOf({ ...example, policy_version: null }, replay, 'p')
  expect(found).toMatchObject({ agent_id: 'a' })
  expect(found).not.toHaveProperty('policy_id')
})

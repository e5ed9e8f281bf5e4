import { expect, test } from 'vitest'
import { agentsOf, agentsText, confirmedText, missingOf, reachText, startingEdgeText } from './words.ts'

const freeze = {
  scope: 'agent' as 'agent' | 'environment' | 'organization',
  agents: 2,
  drill: false,
  active: true,
  edges: { total: 4, confirmed: 1, unreachable: 2 },
}
const textsOf = (changed: Partial<typeof freeze>) => {
  const all = { ...freeze, ...changed }
  return [agentsText(all), reachText(all), ...missingOf(all).map(({ text }) => text)].map((text) =>
    text.replaceAll('\u{a0}', ' '),
  )
}

test('speaks of an active freeze in the present tense', () => {
  expect(textsOf({})).toEqual([
    '2 agents, every call is denied',
    '1 of 4 edges confirmed',
    '2 edges do not answer',
    '1 edge has not confirmed yet',
  ])
})

test('speaks of a lifted freeze in the past tense, and says that the edges confirmed the freeze', () => {
  expect(textsOf({ active: false })).toEqual([
    '2 agents, every call was denied',
    '1 of 4 edges had confirmed the freeze',
    '3 edges had not confirmed it',
  ])
})

test('says that no edge runs the agents of a freeze, and what happens if one starts', () => {
  const none = { ...freeze, edges: { total: 0, confirmed: 0, unreachable: 0 } }
  expect(reachText(none)).toBe('No edge runs this agent')
  expect(reachText({ ...none, scope: 'environment' })).toBe('No edge runs an agent of this environment')
  expect(reachText({ ...none, scope: 'organization' })).toBe('No edge runs an agent')
  expect(startingEdgeText(none)).toBe('If one starts, every call is denied')
  expect(startingEdgeText(freeze)).toBe('')
  expect(reachText({ ...none, active: false })).toBe('No edge ran this agent')
  expect(startingEdgeText({ ...none, active: false })).toBe('')
  expect(startingEdgeText({ ...none, drill: true })).toBe('')
})

test('does not call a drill lifted', () => {
  expect(textsOf({ active: false, drill: true }).slice(0, 2)).toEqual([
    '2 agents, nothing is stopped',
    '1 of 4 edges confirmed',
  ])
})

test('says that every edge confirmed only if every active freeze says so', () => {
  const all = { edges: { total: 4, confirmed: 4, unreachable: 0 }, confirmed_all_at: '2026-01-01T00:00:00Z' }
  const none = { edges: { total: 0, confirmed: 0, unreachable: 0 }, confirmed_all_at: null }
  const notSeen = { edges: null, confirmed_all_at: null }
  const capped = { edges: { total: 10_000, confirmed: 10_000, unreachable: 0 }, confirmed_all_at: null }
  expect(confirmedText([], 0)).toBeUndefined()
  expect(confirmedText([all, none], 2)).toBe('Every edge confirmed.')
  expect(confirmedText([none], 1)).toBe('No edge has to confirm.')
  for (const [freezes, total] of [
    [[notSeen], 1],
    [[all, notSeen], 2],
    [[capped], 1],
    [[all], 2],
  ] as const)
    expect(confirmedText(freezes, total)).toBe('It is not known whether every edge confirmed.')
  expect(confirmedText([notSeen, { ...freeze, confirmed_all_at: null }], 2)).toBe('Not every edge has confirmed.')
})

test('names the state of receipts for each count that the API lists', () => {
  const statesOf = (changed: Partial<typeof freeze>) => missingOf({ ...freeze, ...changed }).map(({ state }) => state)
  expect(statesOf({})).toEqual(['unreachable', 'waiting'])
  expect(statesOf({ active: false, drill: true })).toEqual(['unreachable', 'waiting'])
  expect(statesOf({ active: false })).toEqual([undefined])
})

test('leads to the agents of the freeze', () => {
  const none = { agent_id: null, environment_id: null }
  expect(agentsOf({ ...none, scope: 'agent', agent_id: 'a1' })).toEqual({ to: '/agents/a1' })
  const environment = { ...none, scope: 'environment', environment_id: 'e1' } as const
  expect(agentsOf(environment)).toEqual({ to: '/agents', search: { environment_id: 'e1' } })
  expect(agentsOf({ ...none, scope: 'organization' })).toEqual({ to: '/agents' })
})

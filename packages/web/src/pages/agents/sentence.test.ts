import { expect, it } from 'vitest'
import { clausesOf } from './sentence.tsx'

const facet = (counts: Record<string, number>) =>
  Object.entries(counts).map(([key, count]) => ({ key, name: key, count }))

const facets = (counts: { governed: number; drift?: object; heartbeat?: object; lifecycle?: object }) => ({
  status: [],
  source: [],
  governance_state: facet({ governed: counts.governed }),
  lifecycle_status: facet({ ...counts.lifecycle }),
  execution_coverage_state: [],
  environment_id: [],
  policy_id: [],
  owner_user_id: [],
  drift: facet({ ...counts.drift }),
  framework: [],
  heartbeat: facet({ ...counts.heartbeat }),
})
const textOf = (counts: Parameters<typeof facets>[0]) => {
  const { wrong, unknown, fine } = clausesOf(facets(counts))
  const unknownTexts = unknown.map(({ start, text, rest }) => `${start}${text}${rest}.`)
  return [...wrong.map(({ text }) => text), ...unknownTexts, fine]
    .filter(Boolean)
    .map((text) => text?.replaceAll('\u00a0', ' '))
}

it('says what is wrong first, then what waits', () => {
  expect(textOf({ governed: 1284, drift: { true: 1 }, heartbeat: { late: 2 }, lifecycle: { proposed: 61 } })).toEqual([
    '1 of 1,284 agents runs a policy that nobody approved',
    '2 stopped reporting',
    '61 wait for a first approval',
  ])
})

it('without an agent, a person with limited access reads why', () => {
  expect(textOf({ governed: 0 })).toEqual(['No agent is governed yet.'])
  expect(clausesOf(facets({ governed: 0 }), 'You see only what you were granted.').fine).toMatch(/^You see only/)
})

it('the first clause names agents', () => {
  expect(textOf({ governed: 1, drift: { true: 1 } })).toEqual(['1 of 1 agent runs a policy that nobody approved'])
  expect(textOf({ governed: 5, heartbeat: { late: 1 } })).toEqual(['1 agent stopped reporting'])
  expect(textOf({ governed: 5, lifecycle: { proposed: 3 } })).toEqual(['3 agents wait for a first approval'])
})

it('agents of which nothing is known do not run as approved', () => {
  expect(textOf({ governed: 5, drift: { false: 3, unknown: 2 } })).toEqual([
    'It is not known whether 2 agents run as approved.',
  ])
  expect(textOf({ governed: 5, drift: { false: 3, unknown: 2 }, lifecycle: { proposed: 2 } })).toEqual([
    '2 agents wait for a first approval',
    'It is not known whether 2 agents run as approved.',
  ])
  expect(textOf({ governed: 5, drift: { false: 5 } })).toEqual(['All 5 agents run as approved.'])
  expect(textOf({ governed: 0 })).toEqual(['No agent is governed yet.'])
})

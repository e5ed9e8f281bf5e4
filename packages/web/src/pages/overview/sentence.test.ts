import { expect, it } from 'vitest'
import type { AgentFacets } from './agent-facets.ts'
import { fineOf } from './sentence.tsx'

type Counted = Parameters<typeof fineOf>[0]

const facetsOf = (drift: Record<string, number>, atLeast = false) =>
  ({
    governance_state: [{ key: 'governed', name: 'governed', count: 5 }],
    drift: Object.entries(drift).map(([key, count]) => ({ key, name: key, count, ...(atLeast && { at_least: true }) })),
  }) as AgentFacets
const overviewOf = ({ unapproved = 0, silent = 0 } = {}) =>
  ({ agents: { total: 5, unapproved_running: unapproved }, edges: { silent, instances_silent: silent } }) as Counted

it('everything runs as approved only if nothing says otherwise', () => {
  expect(fineOf(overviewOf(), facetsOf({ false: 5 }))).toBe('Every agent runs as approved.')
  expect(fineOf(overviewOf(), facetsOf({ false: 4, true: 1 }))).toBe('Everything else runs as approved.')
})

it('an agent without approval runs nothing as approved, also beside drift', () => {
  expect(fineOf(overviewOf({ unapproved: 1 }), facetsOf({ false: 3, true: 1 }))).toBeUndefined()
  expect(fineOf(overviewOf({ unapproved: 1 }), facetsOf({ false: 5 }))).toBeUndefined()
})

it('agents behind a silent edge, and agents that were not counted, are not said to run as approved', () => {
  const careful = 'Every agent that reports runs as approved.'
  expect(fineOf(overviewOf({ silent: 1 }), facetsOf({ false: 5 }))).toBe(careful)
  expect(fineOf(overviewOf(), facetsOf({ false: 5 }, true))).toBe(careful)
  expect(fineOf(overviewOf({ silent: 1 }), facetsOf({ false: 4, true: 1 }))).toBeUndefined()
})

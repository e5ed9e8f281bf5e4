import { expect, it } from 'vitest'
import type { AgentFacets } from './agent-facets.ts'
import { fineOf, firstClauseOf, waitingOf, wrongOf } from './sentence.tsx'

type Counted = Parameters<typeof wrongOf>[0]

const facetsOf = (drift: Record<string, number>, atLeast = false) =>
  ({
    governance_state: [{ key: 'governed', name: 'governed', count: 5 }],
    drift: Object.entries(drift).map(([key, count]) => ({ key, name: key, count, ...(atLeast && { at_least: true }) })),
  }) as AgentFacets
const overviewOf = ({ unapproved = 0, silent = 0, instances = silent } = {}) =>
  ({
    agents: { total: 5, unapproved_running: unapproved },
    edges: { silent, instances_silent: instances },
    findings_total: 0,
  }) as Counted

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

it('silent edges with the own keys of agents are named, if no edge credential is silent', () => {
  const wordsOf = (counts: { silent: number; instances: number }) =>
    wrongOf(overviewOf(counts), facetsOf({ false: 5 })).map(({ text, to, search, tone }) => [
      text.replaceAll('\u00a0', ' '),
      `${to}?silent=${search?.silent}`,
      tone,
    ])
  expect(wordsOf({ silent: 0, instances: 1 })).toEqual([
    ['1 running edge does not answer', '/edges?silent=true', 'deny'],
  ])
  expect(wordsOf({ silent: 0, instances: 2 })[0]?.[0]).toBe('2 running edges do not answer')
  expect(wordsOf({ silent: 1, instances: 3 })).toEqual([['1 edge is silent', '/edges?silent=true', 'deny']])
  expect(wordsOf({ silent: 0, instances: 0 })).toEqual([])
  expect(fineOf(overviewOf({ instances: 1 }), facetsOf({ false: 5 }))).toBe(
    'Every agent that reports runs as approved.',
  )
})

it('screen readers hear everything that waits', () => {
  const heard = (approvals: number, reviews: number) =>
    firstClauseOf({ needs_me: { approvals, reviews } as never }).replaceAll('\u00a0', ' ')
  expect(heard(0, 0)).toBe('Nothing waits for you')
  expect(heard(2, 0)).toBe('2 calls wait for you')
  expect(heard(2, 1)).toBe('2 calls and 1 review wait for you')
})

it('the reviews that wait for the reader lead to these reviews only', () => {
  const linked = (approvals: number) =>
    waitingOf({ needs_me: { approvals, reviews: 3 } as never }).find(({ to }) => to === '/reviews')?.search
  for (const approvals of [0, 2]) expect(linked(approvals)).toEqual({ status: 'pending', mine: 'true' })
})

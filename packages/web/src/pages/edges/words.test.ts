import { expect, it } from 'vitest'
import { clausesOf, closingWords, fineOf, lacksWords, mostNamed, namedAgents, stateOf, versionWords } from './words.ts'

const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ')

it.each([
  [{ all: 0, silent: 0, reporting: 0 }, [], 'There is no edge yet, so no call is decided by an edge.'],
  [{ all: 2, silent: 0, reporting: 2 }, [], 'Every edge reports.'],
  [{ all: 4, silent: 1, reporting: 2 }, ['1 edge is silent', '1 edge has never reported'], '2 edges report.'],
  [{ all: 2, silent: 2, reporting: 0 }, ['2 edges are silent'], undefined],
  [{ all: 0, silent: 0, reporting: 0, ownKeys: 1 }, [], 'Every edge reports.'],
  [
    { all: 1, silent: 0, reporting: 0, ownKeys: 3, ownKeysSilent: 1 },
    ['1 edge with the key of an agent is silent', '1 edge has never reported'],
    '2 edges report.',
  ],
  [
    { all: 3, silent: 1, reporting: 1, uncovered: { count: 2, isLeast: false } },
    ['1 edge is silent', '2 agents are covered by no edge', '1 edge has never reported'],
    '1 edge reports.',
  ],
  [
    { all: 1, silent: 0, reporting: 1, uncovered: { count: 1, isLeast: true } },
    ['at least 1 agent is covered by no edge'],
    'Every edge reports.',
  ],
])('%j reads %j, and %j is fine', (given, clauses, fine) => {
  const counts = { ownKeys: 0, ownKeysSilent: 0, uncovered: { count: 0, isLeast: false }, ...given }
  expect(clausesOf(counts).map(({ text }) => plain(text))).toEqual(clauses)
  expect(plain(fineOf(counts))).toBe(fine)
})

it('leads from a count to the edges that it counts, or nowhere', () => {
  const uncovered = { count: 0, isLeast: false }
  const counts = { all: 2, silent: 0, reporting: 1, ownKeys: 2, ownKeysSilent: 1, uncovered }
  expect(clausesOf(counts).map(({ to, search }) => [to, search])).toEqual([
    ['/edges', { silent: 'true' }],
    [undefined, undefined],
  ])
})

it('does not call an edge silent that never reported', () => {
  expect(stateOf({ silent: null }).word).toBe('Never reported')
  expect(stateOf({ silent: true }).word).toBe('Silent')
})

it('says what an edge is too old for', () => {
  expect(versionWords({ version: '1.0', lacks: [] })).toBe('1.0')
  expect(versionWords({ version: null, lacks: null })).toBe('–')
  expect(versionWords({ version: '0.9', lacks: ['content'] })).toBe('0.9, too old')
  expect(versionWords({ version: '', lacks: ['content'] })).toBe('too old')
  expect(lacksWords({ lacks: ['content', 'limits'] })).toBe('content rules; limits of rules. Update the edge.')
  expect(lacksWords({ lacks: [] })).toBeUndefined()
  expect(lacksWords({ lacks: null })).toBeUndefined()
})

it('says when an edge closes by itself', () => {
  const now = Date.parse('2026-11-03T12:00:00Z')
  const closing = (closes_at: string | null, silent: boolean | null = true) =>
    closingWords({ closes_at, silent } as never, now)
  expect(closing('2026-11-03T12:02:00Z')).toBe('If it gets no answer, it denies every call in 2 min.')
  expect(closing('2026-11-03T12:00:00Z')).toMatch(/^It denies every call/)
  expect(closing(null)).toMatch(/without a time limit/)
  expect(closing(null, null)).toBe('It decides nothing yet.')
})

it('says if the command that starts an edge does not name all agents', () => {
  const page = (agents: number, next_page_token?: string) => ({
    data: Array.from({ length: agents }, (_, index) => ({ id: `a${index}` })),
    next_page_token,
  })
  const named = (...pages: ReturnType<typeof page>[]) => {
    const { agents, agentsNote } = namedAgents(pages)
    return [agents.length, agentsNote.slice(0, 30)]
  }
  expect(named(page(0), page(0))).toEqual([0, 'The environment has no agent y'])
  expect(named(page(0), page(2))).toEqual([2, 'It names the agents that the e'])
  expect(named(page(mostNamed), page(0))).toEqual([50, 'It names the agents that the e'])
  expect(named(page(mostNamed), page(1))).toEqual([50, 'It names 50 of the agents of t'])
  expect(named(page(3, 'next'), page(0))).toEqual([3, 'It names 3 of the agents of th'])
})

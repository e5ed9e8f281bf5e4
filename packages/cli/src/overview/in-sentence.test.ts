import { overviewExamples } from '@mandate/contract/examples/overview'
import type { Overview } from '@mandate/contract/overview'
import { expect, test } from 'vitest'
import { inSentence } from './in-sentence.ts'

const example = overviewExamples.getOverview?.response as Overview

interface Counts {
  needs?: [approvals: number, reviews: number]
  total?: number
  drifting?: number
  unapproved?: number
  unknown?: number
  silent?: number
}

function overviewWith({ needs: [approvals, reviews] = [0, 0], total = 9, silent = 0, ...given }: Counts): Overview {
  const { drifting = 0, unapproved: unapproved_running = 0, unknown: unknown_drift = 0 } = given
  const agents = { ...example.agents, total, drifting, unapproved_running, unknown_drift }
  return {
    ...example,
    freezes: [],
    needs_me: { approvals, reviews },
    agents,
    edges: { ...example.edges, total: 9, silent },
  }
}

test.each<[Counts, string]>([
  [{}, 'Nothing waits for you. Every agent runs as approved.'],
  [{ total: 0 }, 'Nothing waits for you. No agent is registered.'],
  [
    { needs: [1, 0], drifting: 1 },
    '1 call waits for you. 1 agent runs a policy that nobody approved. Every other agent runs as approved.',
  ],
  [{ needs: [0, 1], unapproved: 1 }, '1 review waits for you. 1 agent runs without approval.'],
  [
    { needs: [2, 3], drifting: 2, unapproved: 4, silent: 1, unknown: 1 },
    '2 calls and 3 reviews wait for you. 2 agents run a policy that nobody approved, 4 agents run without approval, and 1 edge is silent. It is unknown whether 1 agent runs as approved.',
  ],
  [
    { silent: 2, unknown: 10_000 },
    'Nothing waits for you. 2 edges are silent. It is unknown whether 10,000 or more agents run as approved.',
  ],
])('%j: %s', (counts, sentence) => {
  expect(inSentence(overviewWith(counts))).toBe(sentence)
})

test.each([
  [['agent'], 'Invoice reader is frozen. '],
  [['agent', 'environment'], '2 freezes are active. '],
  [['agent', 'agent', 'agent', 'agent', 'agent'], '5 or more freezes are active. '],
  [['agent', 'organization'], 'The organization is frozen. '],
] as const)('begins with the active freezes: %j', (scopes, begin) => {
  const [freeze] = example.freezes
  const freezes = scopes.map((scope) => ({ ...freeze!, scope, name: 'Invoice reader' }))
  expect(inSentence({ ...overviewWith({}), freezes })).toBe(
    `${begin}Nothing waits for you. Every agent runs as approved.`,
  )
})

import type { Answer } from '@mandate/sdk'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted, numberOf } from '../../words/words.ts'

type Facets = Answer<'getAgentFacets'>

const most = 10_000

const countOf = (facet: Facets['drift'], value: string) => facet.find(({ key }) => key === value)?.count ?? 0

/** What is wrong with governed agents, what waits, and what is not known. `none` is the sentence without an agent. */
export function clausesOf(
  facets: Facets,
  none = 'No agent is governed yet.',
): { wrong: Clause[]; unknown: Clause[]; fine: string | undefined } {
  const total = countOf(facets.governance_state, 'governed')
  if (total === 0) return { wrong: [], unknown: [], fine: none }
  const drifting = countOf(facets.drift, 'true')
  const late = countOf(facets.heartbeat, 'late')
  const proposed = countOf(facets.lifecycle_status, 'proposed')
  const unknown = countOf(facets.drift, 'unknown')
  const of = counted(total, 'of # agent', 'of # agents', most)
  const all: (Clause & { count: number })[] = [
    {
      count: drifting,
      text: counted(
        drifting,
        `# ${of} runs a policy that nobody approved`,
        `# ${of} run policies that nobody approved`,
        most,
      ),
      search: { drift: 'true' },
      tone: 'deny',
    },
    {
      count: late,
      text: counted(late, '# stopped reporting', '# stopped reporting', most),
      search: { heartbeat: 'late' },
      tone: 'deny',
    },
    {
      count: proposed,
      text: counted(proposed, '# waits for a first approval', '# wait for a first approval', most),
      search: { lifecycle_status: 'proposed' },
      tone: 'hold',
    },
  ]
  const wrong = all
    .filter(({ count }) => count > 0)
    .map(({ count: _, text, ...clause }, index) => ({
      ...clause,
      to: '/agents',
      text: index === 0 ? named(text) : text,
    }))
  if (unknown > 0) return { wrong, unknown: [unknownClause(unknown)], fine: undefined }
  if (wrong.length > 0) return { wrong, unknown: [], fine: undefined }
  // The counts are those of the newest agents, so nothing is known about the others.
  if (facets.drift.some(({ at_least }) => at_least)) return { wrong, unknown: [], fine: undefined }
  return {
    wrong,
    unknown: [],
    fine: total === 1 ? 'The only agent runs as approved.' : `All ${numberOf(total, most)} agents run as approved.`,
  }
}

/** The agents of which it is not known what they run, with the link to their list. */
export const unknownClause = (unknown: number): Clause => ({
  start: 'It is not known whether ',
  text: counted(unknown, '# agent', '# agents', most),
  rest: unknown === 1 ? ' runs as approved' : ' run as approved',
  to: '/agents',
  search: { drift: 'unknown' },
})

/** The first clause says what is counted. */
const named = (text: string) =>
  text.includes('agent')
    ? text
    : text.replace(
        /^(\S+?)\u00a0(\S+)/,
        (_, n: string, verb: string) => `${n}\u00a0${n === '1' ? 'agent' : 'agents'} ${verb}`,
      )

import type { Schema } from '@mandate/sdk'
import { type Clause, Sentence } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'
import { unknownClause } from '../agents/sentence.tsx'
import { type AgentFacets, countsOf, governedOf } from './agent-facets.ts'

type Overview = Schema<'Overview'>

const most = 10_000

/** What waits for the reader. */
export function waitingOf({ needs_me }: Pick<Overview, 'needs_me'>): Clause[] {
  const { approvals, reviews } = needs_me
  if (approvals === 0 && reviews === 0) return [{ text: 'Nothing waits for you' }]
  const toApprovals = { to: '/approvals', tone: 'hold' } as const
  const toReviews = { to: '/reviews', search: { status: 'pending', mine: 'true' }, tone: 'hold' } as const
  if (reviews === 0)
    return [{ text: counted(approvals, '# call waits for you', '# calls wait for you', 1000), ...toApprovals }]
  if (approvals === 0)
    return [{ text: counted(reviews, '# review waits for you', '# reviews wait for you', 1000), ...toReviews }]
  return [
    { text: counted(approvals, '# call', '# calls', 1000), ...toApprovals },
    { text: counted(reviews, '# review', '# reviews', 1000), ...toReviews, rest: ' wait for you' },
  ]
}

/** What is wrong, the worst first. */
export function wrongOf(
  { agents, edges, findings_total }: Pick<Overview, 'agents' | 'edges' | 'findings_total'>,
  facets: AgentFacets,
): Clause[] {
  const drifting = countsOf(facets.drift).true ?? 0
  const all: (Clause & { count: number })[] = [
    {
      count: drifting,
      text: counted(
        drifting,
        '# agent runs a policy that nobody approved',
        '# agents run policies that nobody approved',
        most,
      ),
      to: '/agents',
      search: { drift: 'true' },
      tone: 'deny',
    },
    {
      count: agents.unapproved_running,
      text: counted(agents.unapproved_running, '# agent runs without approval', '# agents run without approval', most),
      to: '/findings',
      search: { type: 'unapproved_running', status: 'open' },
      tone: 'deny',
    },
    {
      count: edges.silent,
      text: counted(edges.silent, '# edge is silent', '# edges are silent', most),
      to: '/edges',
      search: { silent: 'true' },
      tone: 'deny',
    },
    {
      // `silent` counts edge credentials whose instances are all silent. An edge with the own key of an agent has no edge credential.
      count: edges.silent === 0 ? edges.instances_silent : 0,
      text: counted(edges.instances_silent, '# running edge does not answer', '# running edges do not answer', most),
      to: '/edges',
      search: { silent: 'true' },
      tone: 'deny',
    },
  ]
  const wrong = all.filter(({ count }) => count > 0).slice(0, 2)
  if (wrong.length > 0 || findings_total === 0) return wrong
  const text = counted(findings_total, '# finding is open', '# findings are open', most)
  return [{ text, to: '/findings', search: { status: 'open' } }]
}

/** The agents of which it is not known what they run. */
export function unknownOf(facets: AgentFacets): Clause | undefined {
  const { unknown = 0 } = countsOf(facets.drift)
  if (unknown === 0 || governedOf(facets) === 0) return undefined
  return unknownClause(unknown)
}

/** What is fine. Agents whose drift is unknown are not fine, so another clause names them. What runs behind a silent edge is not known either. */
export function fineOf({ agents, edges }: Pick<Overview, 'agents' | 'edges'>, facets: AgentFacets): string | undefined {
  if (agents.total === 0) return 'There is no agent yet.'
  if (governedOf(facets) === 0) return 'No agent is governed yet.'
  if (unknownOf(facets)) return undefined
  const drifting = countsOf(facets.drift).true ?? 0
  if (agents.unapproved_running > 0) return undefined
  // If there are many agents, a reader with limited access gets the counts of the newest ones only.
  const isPart = edges.silent > 0 || edges.instances_silent > 0 || facets.drift.some(({ at_least }) => at_least)
  if (drifting > 0) return isPart ? undefined : 'Everything else runs as approved.'
  return isPart ? 'Every agent that reports runs as approved.' : 'Every agent runs as approved.'
}

interface Counts {
  overview: Overview
  facets: AgentFacets
}

export function OverviewSentence({ overview, facets }: Counts) {
  const unknown = unknownOf(facets)
  return (
    <Sentence
      waiting={waitingOf(overview)}
      wrong={wrongOf(overview, facets)}
      unknown={unknown ? [unknown] : []}
      fine={fineOf(overview, facets)}
    />
  )
}

/** What waits, as text for screen readers. */
export const firstClauseOf = (overview: Pick<Overview, 'needs_me'>) =>
  waitingOf(overview)
    .map(({ text, rest = '' }) => text + rest)
    .join(' and ')

/** The sentence of a new organization: what waits, what is wrong, and how many steps are done. */
export function FirstRunSentence({ overview, facets, steps }: Counts & { steps: string }) {
  const waiting = waitingOf(overview).filter(({ to }) => to !== undefined)
  return (
    <>
      <Sentence waiting={waiting} wrong={wrongOf(overview, facets)} />
      {steps}
    </>
  )
}

import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { timeLeft } from '../../words/times.ts'
import { counted } from '../../words/words.ts'

type Edge = Schema<'Edge'>

const most = 10_000

/** The most agents that the command that starts an edge names. An edge serves up to 5,000. */
export const mostNamed = 50

interface AgentPage {
  data: readonly { id: string }[]
  next_page_token?: string | undefined
}

/** The ids that the command names, and what the page says about them. */
export function namedAgents(pages: readonly AgentPage[]): { agents: string[]; agentsNote: string } {
  const ids = pages.flatMap(({ data }) => data.map(({ id }) => id))
  const hasMore = ids.length > mostNamed || pages.some((page) => page.next_page_token !== undefined)
  const agents = ids.slice(0, mostNamed)
  if (hasMore) {
    const agentsNote = `It names ${agents.length} of the agents of the environment. Add the ids of the other agents that the edge serves, and leave out those that run elsewhere.`
    return { agents, agentsNote }
  }
  const agentsNote =
    agents.length === 0
      ? 'The environment has no agent yet: register one, and put its id into the command.'
      : 'It names the agents that the edge serves: leave out those that run elsewhere.'
  return { agents, agentsNote }
}

/** Whether the edge reports. An edge without a heartbeat is neither silent nor reporting. */
export function stateOf({ silent }: Pick<Edge, 'silent'>): StateLook {
  if (silent === null) return { glyph: 'proposed', word: 'Never reported', tone: 'hold' }
  return silent ? { glyph: 'lost', word: 'Silent', tone: 'deny' } : { glyph: 'live', word: 'Reporting', tone: 'quiet' }
}

/** What the edge does while it gets no answer from the control plane. */
export function closingWords({ silent, closes_at }: Edge, now: number): string {
  if (silent === null) return 'It decides nothing yet.'
  if (closes_at === null) return 'If it loses the connection, it may enforce its policies without a time limit.'
  const left = Date.parse(closes_at) - now
  return left > 0
    ? `If it gets no answer, it denies every call in ${timeLeft(left)}.`
    : 'It denies every call, because it has had no answer for too long.'
}

const featureWords: Record<NonNullable<Edge['lacks']>[number], string> = {
  content: 'content rules',
  delegations: 'delegations',
  limits: 'limits of rules',
  pins: 'pins, blocks and labels of tools',
  sessions: 'sessions and labels in rules',
}

/** What the edge is too old for. Undefined if it knows everything, or has never reported. */
export function lacksWords({ lacks }: Pick<Edge, 'lacks'>): string | undefined {
  if (!lacks || lacks.length === 0) return undefined
  return `${lacks.map((feature) => featureWords[feature]).join('; ')}. Update the edge.`
}

/** The version, and whether it is too old for something that the control plane serves. */
export function versionWords({ version, lacks }: Pick<Edge, 'version' | 'lacks'>): string {
  const tooOld = lacks && lacks.length > 0 ? 'too old' : ''
  return [version, tooOld].filter(Boolean).join(', ') || '–'
}

export interface EdgeCounts {
  all: number
  silent: number
  reporting: number
  /** Running instances with the own key of an agent, and the silent ones of them. */
  ownKeys: number
  ownKeysSilent: number
  /** Governed agents that no edge has said anything about. `isLeast` is true if only some agents were counted. */
  uncovered: { count: number; isLeast: boolean }
}

/** What is wrong: silent edges first, then agents without an edge, then edges that never started. */
export function clausesOf({ all, silent, reporting, ownKeysSilent, uncovered }: EdgeCounts): Clause[] {
  const never = Math.max(0, all - silent - reporting)
  const clauses: Clause[] = []
  if (silent > 0) {
    const text = counted(silent, '# edge is silent', '# edges are silent', most)
    clauses.push({ text, to: '/edges', search: { silent: 'true' }, tone: 'deny' })
  }
  if (ownKeysSilent > 0) {
    const text = counted(
      ownKeysSilent,
      '# edge with the key of an agent is silent',
      '# edges with keys of agents are silent',
      most,
    )
    clauses.push({ text, to: '/edges', search: { silent: 'true' }, tone: 'deny' })
  }
  if (uncovered.count > 0) {
    const text = counted(uncovered.count, '# agent is covered by no edge', '# agents are covered by no edge', most)
    clauses.push({
      text: uncovered.isLeast && uncovered.count < most ? `at least ${text}` : text,
      to: '/agents',
      search: { execution_coverage: 'unknown' },
      tone: 'hold',
    })
  }
  // No filter finds them.
  if (never > 0)
    clauses.push({ text: counted(never, '# edge has never reported', '# edges have never reported', most) })
  return clauses
}

/** What is fine. */
export function fineOf({ all, reporting: withEdgeKeys, ownKeys, ownKeysSilent }: EdgeCounts): string | undefined {
  if (all + ownKeys === 0) return 'There is no edge yet, so no call is decided by an edge.'
  const reporting = withEdgeKeys + ownKeys - ownKeysSilent
  if (reporting === 0) return undefined
  return reporting === all + ownKeys
    ? 'Every edge reports.'
    : counted(reporting, '# edge reports.', '# edges report.', most)
}

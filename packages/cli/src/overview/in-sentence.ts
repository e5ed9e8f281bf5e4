import type { Schema } from '@mandate/sdk/operation'

type Overview = Schema<'Overview'>

const countedAtMost = 10_000

/** A count as text. Counts stop at 10,000, which means 10,000 or more. */
export function inWords(count: number): string {
  return `${count.toLocaleString('en')}${count >= countedAtMost ? ' or more' : ''}`
}

/** What waits for the caller, then what is wrong, then what is fine. */
export function inSentence(overview: Overview): string {
  return [stopped(overview), waiting(overview), wrong(overview), fine(overview)].filter(Boolean).join(' ')
}

const count = (number: number, one: string, many: string) => `${inWords(number)} ${number === 1 ? one : many}`
const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** How many calls and reviews the caller could decide. Leaves out a count of zero. */
export function needs({ approvals, reviews }: Overview['needs_me']): string[] {
  return [
    ...(approvals > 0 ? [count(approvals, 'call', 'calls')] : []),
    ...(reviews > 0 ? [count(reviews, 'review', 'reviews')] : []),
  ]
}

/** The overview has at most five freezes, so five means five or more. */
function stopped({ freezes }: Overview): string {
  if (freezes.length === 0) return ''
  const organization = freezes.find(({ scope }) => scope === 'organization')
  if (organization) return 'The organization is frozen.'
  if (freezes.length === 1) return `${freezes[0]?.name} is frozen.`
  return `${freezes.length} ${freezes.length === 5 ? 'or more ' : ''}freezes are active.`
}

function waiting({ needs_me: { approvals, reviews } }: Overview): string {
  const parts = needs({ approvals, reviews })
  if (parts.length === 0) return 'Nothing waits for you.'
  return `${parts.join(' and ')} ${approvals + reviews === 1 ? 'waits' : 'wait'} for you.`
}

function wrong({ agents: { drifting, unapproved_running: unapproved }, edges: { silent } }: Overview): string {
  const parts = [
    ...(drifting > 0 ? [count(drifting, 'agent runs', 'agents run').concat(' a policy that nobody approved')] : []),
    ...(unapproved > 0 ? [count(unapproved, 'agent runs', 'agents run').concat(' without approval')] : []),
    ...(silent > 0 ? [count(silent, 'edge is silent', 'edges are silent')] : []),
  ]
  if (parts.length === 0) return ''
  const last = parts.pop()
  return capital(`${parts.length > 0 ? `${parts.join(', ')}, and ` : ''}${last}.`)
}

/** Says that agents run as approved only if it is known what they run. */
function fine({
  agents: { total, drifting, unapproved_running: unapproved, unknown_drift: unknown },
}: Overview): string {
  if (total === 0) return 'No agent is registered.'
  if (unknown > 0) return `It is unknown whether ${count(unknown, 'agent runs', 'agents run')} as approved.`
  if (unapproved > 0) return ''
  return drifting > 0 ? 'Every other agent runs as approved.' : 'Every agent runs as approved.'
}

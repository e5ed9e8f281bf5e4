import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { isolated } from '../../ui/texts/direction/isolated.ts'
import { counted } from '../../words/words.ts'

type Review = Schema<'Review'>

export const kinds: Record<Review['kind'], { name: string; question: string }> = {
  onboarding: { name: 'Onboarding review', question: 'May this agent work under this policy?' },
  change: { name: 'Change review', question: 'It runs another policy version than the approved one. Is that right?' },
  attestation: { name: 'Attestation', question: 'Is the agent still right as it is?' },
}

/** What a pending review asks. An onboarding review has nothing to ask before the agent has a policy. */
export function questionOf(
  { kind, subject }: Pick<Review, 'kind' | 'subject'>,
  agent: Pick<Schema<'Agent'>, 'policy'> | undefined,
): string {
  const { approved, running } = subject ?? {}
  if (kind === 'change' && approved && running && approved.policy_id !== running.policy_id)
    return 'It runs another policy than the approved one. Is that right?'
  return kind === 'onboarding' && agent && !agent.policy ? 'The agent has no policy yet.' : kinds[kind].question
}

/** How many reviews wait for the reader, and how many for other people as the rest of the clause. */
export function waitingText(mine: number, others: number): { text: string; rest: string } {
  return {
    text:
      mine === 0 ? 'No review waits for you' : counted(mine, '# review waits for you', '# reviews wait for you', 1000),
    rest: others === 0 ? '' : `, ${counted(others, '# waits for others', '# wait for others', 1000)}`,
  }
}

export const statuses: Record<Review['status'], StateLook> = {
  pending: { glyph: 'hold', word: 'Pending', tone: 'hold' },
  approved: { glyph: 'approved', word: 'Approved', tone: 'quiet' },
  rejected: { glyph: 'blocked', word: 'Rejected', tone: 'deny' },
  attested: { glyph: 'approved', word: 'Attested', tone: 'quiet' },
  superseded: { glyph: 'retired', word: 'Superseded', tone: 'off' },
}

/** Says that a review ended while its question was open, and by whom. */
export function endedMeanwhile(
  { status, resolved_by }: Pick<Review, 'status' | 'resolved_by'>,
  names: Readonly<Record<string, string>>,
  reader: string,
): string {
  const { word } = statuses[status]
  if (resolved_by === reader) return `Your judgement arrived: ${word}.`
  const ended =
    resolved_by === null ? 'The review ended' : `${isolated(names[resolved_by] ?? 'A removed user')} judged the review`
  return `${ended} meanwhile: ${word}. Your judgement does not count.`
}

/** A policy version in words. Its name is known if the reader may see the policy. */
export function versionText(
  at: { policy_id: string; version: number | null } | null,
  names: Record<string, string>,
): string {
  if (at === null) return 'None'
  const policy = isolated(names[at.policy_id] ?? 'a policy that was deleted')
  return at.version === null ? `${policy}, unknown version` : `${policy}, version ${at.version}`
}

import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { isolated } from '../../ui/texts/direction/isolated.ts'

type Review = Pick<Schema<'Review'>, 'kind' | 'environment_id' | 'subject' | 'requested_by'>
type Names = Readonly<Record<string, string>>

const kinds: Record<Review['kind'], { word: string; look: StateLook }> = {
  change: { word: 'Change review', look: { glyph: 'differs', word: 'Review', tone: 'deny' } },
  onboarding: { word: 'Onboarding review', look: { glyph: 'proposed', word: 'Review', tone: 'quiet' } },
  attestation: { word: 'Attestation', look: { glyph: 'clock', word: 'Review', tone: 'quiet' } },
}

export const lookOfReview = ({ kind }: Review): StateLook => kinds[kind].look

/** The kind of a review and its environment: "Change review, production". */
export function wordsOfReview({ kind, environment_id: environment }: Review, names: Names): string {
  const name = environment === null ? undefined : names[environment]
  return name ? `${kinds[kind].word}, ${isolated(name)}` : kinds[kind].word
}

/** Why the review is there, in one clause. */
export function whyOfReview({ kind, subject, requested_by: by }: Review, names: Names): string {
  const { running, approved } = subject ?? {}
  if (kind === 'change' && running && approved) {
    if (running.policy_id === approved.policy_id && running.version !== null && approved.version !== null)
      return `Runs version ${running.version}, version ${approved.version} is approved`
    const name = names[running.policy_id]
    return name
      ? `Runs another policy than the approved one: ${isolated(name)}`
      : 'Runs another policy than the approved one'
  }
  if (kind === 'change' && running) return 'Runs a policy, and none is approved'
  const person = by === null ? undefined : names[by]
  if (person) return `${isolated(person)} asked for it`
  return kind === 'onboarding' ? 'The agent is new' : 'A person asked for it'
}

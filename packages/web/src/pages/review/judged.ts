import type { Answer, Input, Schema } from '@mandate/sdk'
import { isolated } from '../../ui/texts/direction/isolated.ts'

type Review = Schema<'Review'>
type Agent = Answer<'getAgent'>

export interface PolicyAt {
  policy_id: string
  version: number | null
}

/** True if the outcome of the review was an approval of record. */
export const isFavourable = ({ status }: Pick<Review, 'status'>) => status === 'approved' || status === 'attested'

/**
 * What an approval of the pending review makes the approved version: what runs for a change review, otherwise the version of the assigned policy that is
 * in force now. Null without such a version. Undefined if it depends on the agent, and the agent was not read yet.
 */
export function judgedNow(
  { kind, subject }: Pick<Review, 'kind' | 'subject'>,
  agent: Pick<Agent, 'policy'> | undefined,
): PolicyAt | null | undefined {
  if (kind === 'change') return subject?.running ?? null
  return agent?.policy && { policy_id: agent.policy.id, version: agent.policy.version }
}

/**
 * Says that another version is assigned than the one that a change review judges, with the name of the assigned one. Undefined if it is the same, or if
 * that is not known.
 */
export function otherAssigned(
  { kind }: Pick<Review, 'kind'>,
  judged: PolicyAt | null | undefined,
  agent: Pick<Agent, 'policy' | 'frozen'> | undefined,
): string | undefined {
  const policy = agent?.policy
  if (kind !== 'change' || !policy || !judged || judged.version === null) return undefined
  if (policy.id === judged.policy_id && policy.version === judged.version) return undefined
  const when = agent.frozen ? 'when the freeze ends' : 'when an edge gets it'
  return `${isolated(policy.name)}, version ${policy.version} is assigned now. It will run ${when}, and needs its own approval.`
}

type Outcome = Input<'resolveReview'>['body']['outcome']

/**
 * The version that the person looked at, as the API takes it. The server refuses to approve another one. It checks a change review by the content that runs:
 * the same content may run under another version number by then.
 */
export function seenPolicy(
  { kind }: Pick<Review, 'kind'>,
  outcome: Outcome,
  judged: PolicyAt | null | undefined,
): Pick<Input<'resolveReview'>['body'], 'policy'> {
  if (outcome === 'rejected' || kind === 'change' || judged === undefined) return {}
  return { policy: judged && { policy_id: judged.policy_id, version: judged.version } }
}

/** The version that this review approved, from the events of its agent. */
export function approvedBy(reviewId: string, events: readonly Schema<'AgentTimelineEvent'>[]): PolicyAt | null {
  const event = events.find(({ resource }) => resource.id === reviewId)
  const approved = event?.details.approved
  return typeof approved === 'object' && approved !== null ? (approved as PolicyAt) : null
}

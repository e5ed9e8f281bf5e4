import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { ChangesSinceApproval } from './changes.tsx'
import { isFavourable, type PolicyAt } from './judged.ts'
import css from './review.module.css'
import { ReviewedPolicy } from './reviewed-policy.tsx'

type Review = Schema<'Review'>

interface SubjectProps {
  review: Review
  /** What is judged, or what was approved. Undefined while it is read, null without a version. */
  judged: PolicyAt | null | undefined
  error: Error | null
  onRetry: () => void
}

/** The policy version that the review is about, and what differs from the one that was approved before. */
export function Subject({ review, judged, error, onRetry }: SubjectProps) {
  if (review.status === 'superseded' || review.status === 'rejected') return <NothingApproved review={review} />
  const before = review.subject?.approved ?? null
  return (
    <>
      {before && judged !== undefined && (
        <Panel title="What changed since the approval">
          <ChangesSinceApproval approved={before} judged={judged} />
        </Panel>
      )}
      <Panel title={isFavourable(review) ? 'What was approved' : 'What you approve'}>
        {judged ? (
          <ReviewedPolicy at={judged} />
        ) : error ? (
          <Failed error={error} onRetry={onRetry} />
        ) : judged === undefined ? (
          <Loading />
        ) : (
          <p className={css.none}>
            {missing(review)}{' '}
            {review.status === 'pending' && review.kind !== 'change' && (
              <PageLink to={`/agents/${review.agent_id}`}>Open the agent to assign a policy</PageLink>
            )}
          </p>
        )}
      </Panel>
    </>
  )
}

function missing({ kind, status }: Review): string {
  if (status !== 'pending') return 'The agent had no policy, so no policy version was approved.'
  if (kind === 'change') return 'The agent has not reported which policy it runs.'
  return 'The agent has no policy, so every call is denied. Assign a policy before you approve the agent.'
}

function NothingApproved({ review: { status, subject, agent_id } }: { review: Review }) {
  const policyId = subject?.running?.policy_id ?? subject?.policy_id
  const isSuperseded = status === 'superseded'
  const pending = useQuery({
    ...read('listReviews', { query: { agent_id, status: 'pending', limit: 1 } }),
    enabled: isSuperseded,
  })
  const now = isSuperseded ? pending.data?.data[0] : undefined
  return (
    <Panel title="What was reviewed">
      <p className={css.none}>
        {status === 'rejected'
          ? 'The review approved no version.'
          : 'Another event made the review unnecessary, so it approved no version.'}{' '}
        {policyId && (
          <PolicyLink id={policyId} version="current">
            Open the policy
          </PolicyLink>
        )}{' '}
        {now && <PageLink to={`/reviews/${now.id}`}>Open the review that waits now</PageLink>}
      </p>
    </Panel>
  )
}

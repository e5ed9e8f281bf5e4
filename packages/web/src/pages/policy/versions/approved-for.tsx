import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { read } from '../../../api/queries.ts'
import { PageLink } from '../../../ui/page/page-link.tsx'
import { Name } from '../../../ui/texts/name.tsx'
import { RecordTime } from '../../../ui/texts/time.tsx'
import { counted } from '../../../words/words.ts'
import css from '../policy.module.css'

/** The versions are shown with the approvals of at most this many agents. */
const mostAgents = 100
const mostNames = 2
const mostLines = 5

/** Reads which version is the approved one of each agent that uses the policy. */
export function useApprovals(policyId: string) {
  const { data } = useQuery(
    read('listAgents', { query: { policy_id: policyId, page_size: mostAgents, include: ['names'] } }),
  )
  const names = data?.names ?? {}
  const approvals = (data?.data ?? []).flatMap(({ id, name, approved_policy: approved }) =>
    approved?.id === policyId
      ? [{ ...approved, id, name, by: approved.approved_by && (names[approved.approved_by] ?? 'a removed person') }]
      : [],
  )
  return { approvals, isPart: data?.next_page_token !== undefined }
}

type Approvals = ReturnType<typeof useApprovals>['approvals']

/** The agents for which a version is approved, in a table cell: at most two names, and the number of the others. */
export function ApprovedFor({ approvals }: { approvals: Approvals }) {
  const more = approvals.length - mostNames
  return (
    <>
      {approvals.slice(0, mostNames).map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <PageLink to={`/agents/${id}`}>
            <Name>{name}</Name>
          </PageLink>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  )
}

/** Who approved a version, for which agents. */
export function WhoApproved({ approvals }: { approvals: Approvals }) {
  const more = approvals.length - mostLines
  return (
    <>
      {approvals.slice(0, mostLines).map(({ id, name, by, approved_at: at, review_id: review }) => (
        <p key={id} className={css.facts}>
          <span>
            approved for{' '}
            <PageLink to={`/agents/${id}`}>
              <Name>{name}</Name>
            </PageLink>
            {by && (
              <>
                {' by '}
                <Name>{by}</Name>
              </>
            )}
            {at && (
              <>
                , <RecordTime at={at} />
              </>
            )}
          </span>
          {review && <PageLink to={`/reviews/${review}`}>Open the review</PageLink>}
        </p>
      ))}
      {more > 0 && <p className={css.note}>and for {counted(more, '# more agent', '# more agents')}</p>}
    </>
  )
}

/** Says which agents the column is about. */
export const ApprovalsNote = ({ isPart }: { isPart: boolean }) => (
  <p className={css.note}>
    “Approved now for” has agents that use the policy now{isPart && ', and not all of them were read'}.
  </p>
)

import type { Answer } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { afterReportOf, deciders } from '../../words/reviews.ts'
import { Facts } from '../agent/facts.tsx'
import { useGateClause } from '../agent/use-gate-clause.ts'
import { VersionAt } from '../reviews/version-at.tsx'
import { kinds, questionOf, statuses } from '../reviews/words.ts'
import { isFavourable, judgedNow, otherAssigned } from './judged.ts'
import { Judgement } from './judgement.tsx'
import css from './review.module.css'
import { Subject } from './subject.tsx'
import { useApprovedVersion } from './use-approved-version.ts'

type Review = Answer<'getReview'>

/** What is to be judged, and what was the judgement? */
export function ReviewPage() {
  const { id } = useParams({ from: '/inside/reviews/$id' })
  const query = { include: 'may,names' } as const
  const { data: review, error, refetch } = useQuery(read('getReview', { path: { review_id: id }, query }))
  if (!review)
    return (
      <Unread
        name="Review"
        error={error}
        onRetry={() => void refetch()}
        all={{ to: '/reviews', text: 'All reviews' }}
      />
    )
  return <Shown review={review} />
}

function Shown({ review }: { review: Review }) {
  const query = { include: ['may', 'names'] as ('may' | 'names')[] }
  const { data: agent, ...ofAgent } = useQuery(read('getAgent', { path: { agent_id: review.agent_id }, query }))
  const gate = useGateClause(agent)
  const approval = useApprovedVersion(review)
  const names = { ...agent?.names, ...review.names, ...(agent?.policy && { [agent.policy.id]: agent.policy.name }) }
  const agentName = agent?.name ?? names[review.agent_id] ?? 'an unknown agent'
  const { name: kind } = kinds[review.kind]
  const isPending = review.status === 'pending'
  const first = isPending ? questionOf(review, agent) : `This review is ${statuses[review.status].word.toLowerCase()}`
  const judged = isPending ? judgedNow(review, agent) : approval.approved
  const { error, refetch } = isPending ? ofAgent : approval
  const unread = { error, onRetry: () => void refetch() }
  return (
    <>
      <PageHead
        name={`${kind}: ${agentName}`}
        history={{ resource_type: 'review', resource_id: review.id }}
        states={<State {...statuses[review.status]} />}
        sentence={
          isPending ? (
            <>
              {first} {gate && <Sentence waiting={[gate]} />}
            </>
          ) : (
            <Sentence waiting={[{ text: first }]} />
          )
        }
        firstClause={first}
      />
      <div className={css.columns}>
        <div className={css.stack}>
          <Subject review={review} judged={judged} {...unread} />
        </div>
        <div className={css.stack}>
          <Judgement
            {...{ review, agentName, judged, unread, names }}
            assigned={isPending ? otherAssigned(review, judged, agent) : undefined}
          />
          <Panel title="Review">
            <KeyValues
              rows={[
                [
                  'Agent',
                  <PageLink key="agent" to={`/agents/${review.agent_id}`}>
                    <Name>{agentName}</Name>
                  </PageLink>,
                ],
                [
                  'Approved version',
                  isFavourable(review) && approval.approved !== undefined ? (
                    <VersionAt key="version" at={approval.approved} names={names} />
                  ) : undefined,
                ],
                ['Approved before', <VersionAt key="before" at={review.subject?.approved ?? null} names={names} />],
                [
                  'Ran when it opened',
                  review.subject?.running ? (
                    <VersionAt key="ran" at={review.subject.running} names={names} />
                  ) : (
                    'No report yet'
                  ),
                ],
                ['Opened', <RecordTime key="opened" at={review.opened_at} />],
                ['Opened by', <OpenedBy key="by" review={review} names={names} />],
                ['For', deciders[review.assigned_role]],
                ['Decided', review.resolved_at ? <RecordTime key="decided" at={review.resolved_at} /> : undefined],
                [
                  'Decided by',
                  review.resolved_by ? (
                    <Name key="decided-by">{names[review.resolved_by] ?? 'a removed user'}</Name>
                  ) : undefined,
                ],
                ['Comment', review.comment ? <Name key="comment">{review.comment}</Name> : undefined],
              ]}
            />
          </Panel>
          {agent && <Facts agent={agent} />}
        </div>
      </div>
    </>
  )
}

/** Who opened the review. The timeline of the agent names the edge whose report opened it. */
function OpenedBy({ review, names }: { review: Review; names: Readonly<Record<string, string>> }) {
  const { agent_id, opened_at: at, requested_by: person } = review
  const near = (ms: number) => new Date(Date.parse(at) + ms).toISOString()
  const query = { type: ['review' as const], from: near(-60_000), to: near(60_000) }
  const events = useQuery({
    ...read('getAgentTimeline', { path: { agent_id }, query }),
    enabled: person === null,
  })
  if (person !== null) return <Name>{names[person] ?? 'a removed user'}</Name>
  const opened = events.data?.data.find(
    ({ resource, details }) => resource.id === review.id && details.event_type === 'review.opened',
  )
  const report = opened && afterReportOf(opened.actor)
  return <Name>{report === undefined ? 'Mandate' : `Mandate, ${report}`}</Name>
}

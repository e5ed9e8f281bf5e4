import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State, type StateLook } from '../../ui/page/state.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { TimeLeft } from '../../ui/texts/time-left.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { numberOf } from '../../words/words.ts'
import { lookOfReview, whyOfReview, wordsOfReview } from './review-words.ts'
import css from './waiting.module.css'

const shown = 5

/** The calls and reviews that the reader could decide. Calls come first, the one with the least time at the top. */
export function Waiting({ overview: { needs_me: needs } }: { overview: Schema<'Overview'> }) {
  const approvals = useQuery(
    read('listApprovals', { query: { status: 'pending', mine: 'true', sort: 'expires_at', limit: shown } }),
  )
  const reviews = useQuery(
    read('listReviews', { query: { status: 'pending', mine: 'true', limit: shown, include: 'names' } }),
  )
  const failed = approvals.error ?? reviews.error
  const calls = approvals.data?.data ?? []
  const others = reviews.data?.data ?? []
  const isLoading = !failed && !(approvals.data && reviews.data)
  return (
    <Panel
      title="Waiting for you"
      more={
        <>
          <PageLink to="/approvals">Approvals {numberOf(needs.approvals, 1000)}</PageLink>
          <PageLink to="/reviews" search={{ status: 'pending', mine: 'true' }}>
            Reviews {numberOf(needs.reviews, 1000)}
          </PageLink>
        </>
      }
    >
      {failed && <Failed error={failed} onRetry={() => void Promise.all([approvals.refetch(), reviews.refetch()])} />}
      {isLoading && <Loading rows={3} />}
      {!failed && !isLoading && calls.length + others.length === 0 && (
        <p className={css.none}>No call and no review waits for you.</p>
      )}
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <Call call={call} />
          </li>
        ))}
        {others.map((review) => (
          <li key={review.id}>
            <Review review={review} names={reviews.data?.names ?? {}} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface NeedProps {
  to: string
  search?: Record<string, string>
  look: StateLook
  agent: string
  what: ReactNode
  why: ReactNode
  children: ReactNode
}

function Need({ to, search = {}, look, agent, what, why, children }: NeedProps) {
  return (
    <PageLink to={to} search={search} className={css.need}>
      <State {...look} />{' '}
      <span className={css.body}>
        <Name className={css.agent}>{agent}</Name> {what} <span className={css.why}>{why}</span>
      </span>
      {children}
    </PageLink>
  )
}

function Call({ call }: { call: Schema<'Approval'> }) {
  return (
    <Need
      to="/approvals"
      search={{ open: call.id }}
      look={{ glyph: 'hold', word: 'Call', tone: 'hold' }}
      agent={call.agent_name}
      what={<ToolName tool={call.tool} />}
      why={<Name>{call.rule_name || call.reason}</Name>}
    >
      <TimeLeft from={call.requested_at} until={call.expires_at} />
    </Need>
  )
}

function Review({ review, names }: { review: Schema<'Review'>; names: Record<string, string> }) {
  return (
    <Need
      to={`/reviews/${review.id}`}
      look={lookOfReview(review)}
      agent={names[review.agent_id] ?? 'An agent'}
      what={<Phrase>{wordsOfReview(review, names)}</Phrase>}
      why={<Phrase>{whyOfReview(review, names)}</Phrase>}
    >
      <span className={css.left}>
        <span>
          opened <Time at={review.opened_at} />
        </span>
      </span>
    </Need>
  )
}

import type { Input, Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter, ofLink, optionsOf } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { NewRows } from '../../ui/lists/held-rows.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { useStillRows } from '../../ui/lists/still-rows.ts'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { type Clause, Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { deciders } from '../../words/reviews.ts'
import { VersionAt } from './version-at.tsx'
import { kinds, statuses, waitingText } from './words.ts'

type Query = NonNullable<Input<'listReviews'>['query']>

/** What must be judged? */
export function ReviewsPage() {
  const search = useSearch({ from: '/inside/reviews' })
  const { change, clear } = useFilters('/reviews')
  const { data: overview } = useQuery(read('getOverview', { query: { include: 'names' } }))
  const list = useList('listReviews', { query: { ...(search as Query), include: 'may,names', limit: 50 } })
  const filters = filtersOf(search, list.names)
  const active = activeOf(filters)
  const { data: pending } = useQuery(read('listReviews', { query: { status: 'pending', limit: 1 } }))
  const clause = overview && pending && clauseOf(overview.needs_me.reviews, pending.total)
  return (
    <>
      <PageHead
        name="Reviews"
        sentence={clause && <Sentence waiting={[clause]} />}
        {...(clause && { firstClause: clause.text })}
      />
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="review"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) => anyRow('listReviews', { query: search as Query }, [name])}
            />
          ) : (
            <NoReview />
          )
        }
      >
        {(reviews) => (
          <Panel title={titleOf(search.status)} more={<span>newest first</span>}>
            <Rows reviews={reviews} names={list.names} of={JSON.stringify([search, list.isOld])} />
          </Panel>
        )}
      </ListPart>
    </>
  )
}

function titleOf(status = '') {
  const word = Object.entries(statuses).find(([value]) => value === status)?.[1].word
  return `${word ?? 'All'} reviews`
}

interface RowsProps {
  reviews: readonly Schema<'Review'>[]
  names: Record<string, string>
  /** The filters of the list. */
  of: string
}

/** The reviews. New ones wait behind a button, so that nothing moves under the pointer. */
function Rows({ reviews, names, of }: RowsProps) {
  const { shown, waiting, show } = useStillRows(reviews, of)
  return (
    <>
      <NewRows waiting={waiting} one="review" other="reviews" show={show} />
      <Table
        label="Reviews, newest first"
        rows={shown}
        idOf={({ id }) => id}
        columns={[
          {
            head: 'Agent',
            cell: ({ id, agent_id }) => (
              <PageLink to={`/reviews/${id}`}>
                <Name>{names[agent_id] ?? 'an unknown agent'}</Name>
              </PageLink>
            ),
          },
          { head: 'Kind', cell: ({ kind }) => kinds[kind].name, narrow: 'start' },
          { head: 'Status', cell: ({ status }) => <State {...statuses[status]} />, narrow: 'top' },
          {
            head: 'Approved before',
            cell: ({ subject }) => <VersionAt at={subject?.approved ?? null} names={names} />,
          },
          {
            head: 'Ran when it opened',
            cell: ({ subject }) => <VersionAt at={subject?.running ?? null} names={names} />,
          },
          { head: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} />, narrow: 'end' },
          { head: 'For', cell: ({ assigned_role }) => deciders[assigned_role] },
        ]}
      />
    </>
  )
}

function filtersOf(search: Record<string, string | undefined>, names: Readonly<Record<string, string>>): Filter[] {
  return [
    { name: 'status', label: 'Status', value: search.status, options: optionsOf(statuses) },
    {
      name: 'kind',
      label: 'Kind',
      value: search.kind,
      options: Object.entries(kinds).map(([value, { name }]) => ({ value, text: name })),
    },
    {
      name: 'mine',
      label: 'For',
      value: search.mine,
      without: 'anyone',
      options: [{ value: 'true', text: 'me' }],
    },
    ...ofLink('agent_id', 'Agent', search.agent_id, names),
  ]
}

const NoReview = () => (
  <Empty>
    There was no review so far. A review opens when an agent is new, when it runs what is not approved, and when someone
    asks for it.
  </Empty>
)

function clauseOf(mine: number, pending: number): Clause {
  // The number of own reviews is exact below 1,000 only.
  const { text, rest } = waitingText(mine, mine < 1000 ? Math.max(0, pending - mine) : 0)
  if (mine === 0) return { text: `${text}${rest}` }
  return { text, rest, to: '/reviews', search: { status: 'pending', mine: 'true' }, tone: 'hold' }
}

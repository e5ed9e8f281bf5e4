import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useNow } from '../../ui/browser/use-now.ts'
import { moveWithKeys } from '../../ui/lists/row-keys.ts'
import { Calm, PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { duration } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import css from './approvals.module.css'
import { Call } from './call.tsx'
import { EndedList } from './ended-list.tsx'
import { type Approval, approvalQuery, firstWaitingQuery, useWaitingList } from './queries.ts'
import { WaitingList } from './waiting-list.tsx'

/** What waits for me? */
export function ApprovalsPage() {
  const search = useSearch({ from: '/inside/approvals' })
  const { open, who, decided } = search
  const isMine = who !== 'everyone'
  const mine = useQuery(firstWaitingQuery(true))
  const all = useQuery(firstWaitingQuery(false))
  const list = useWaitingList(isMine)
  // The rows of the other choice would say that nothing waits.
  const rows = list.isOld ? undefined : list.rows
  useOpenFirst(open, rows)
  return (
    <>
      <PageHead
        name="Approvals"
        actions={
          <PageLink to="/approvals" search={{ ...search, who: isMine ? 'everyone' : undefined }} className={css.who}>
            {isMine ? 'Show all calls that wait' : 'Show only mine'}
          </PageLink>
        }
        sentence={
          mine.data && (
            <WaitingSentence
              first={mine.data.data[0]}
              others={(all.data?.total ?? 0) - mine.data.total}
              total={mine.data.total}
            />
          )
        }
        {...(mine.data && { firstClause: waitingText(mine.data.total) })}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between links, which work without them */}
      <div className={css.inbox} data-open={open !== undefined} onKeyDown={moveWithKeys}>
        <div className={css.lists}>
          {list.error && !rows && <Failed error={list.error} onRetry={list.retry} />}
          {!rows && !list.error && <Loading rows={3} />}
          {rows && <WaitingList list={list} rows={rows} isMine={isMine} open={open} search={search} />}
          <EndedList isWhole={decided === 'all'} open={open} search={search} />
        </div>
        <div>{open !== undefined && <OpenCall key={open} id={open} />}</div>
      </div>
    </>
  )
}

const waitingText = (total: number) =>
  total === 0 ? 'No call waits for you' : counted(total, '# call waits for you', '# calls wait for you')

interface WaitingSentenceProps {
  /** The call with the shortest time of those that wait for the reader. */
  first: Approval | undefined
  total: number
  others: number
}

function WaitingSentence({ first, total, others }: WaitingSentenceProps) {
  return (
    <>
      {first ? (
        <PageLink to="/approvals" search={{ open: first.id }} tone="hold">
          {waitingText(total)}
        </PageLink>
      ) : (
        waitingText(total)
      )}
      {'. '}
      {first && <FirstExpiry until={first.expires_at} isOnly={total === 1} />}
      {others > 0 && (
        <>
          <PageLink to="/approvals" search={{ who: 'everyone' }}>
            {counted(others, '# call waits', '# calls wait')}
          </PageLink>{' '}
          for other people.
        </>
      )}
      {!first && others === 0 && <Calm>A call that a rule holds appears here at once.</Calm>}
    </>
  )
}

function FirstExpiry({ until, isOnly }: { until: string; isOnly: boolean }) {
  const left = Date.parse(until) - useNow()
  if (left <= 0) return null
  return (
    <>
      {isOnly ? 'It expires in ' : 'The first one expires in '}
      {duration(left).replaceAll(' ', '\u00a0')}
      {'. '}
    </>
  )
}

/** Opens the first call when the page opens, where list and call are beside each other. Later calls never replace the open one. */
function useOpenFirst(open: string | undefined, rows: readonly Approval[] | undefined): void {
  const navigate = useNavigate()
  const first = rows?.[0]?.id
  useEffect(() => {
    if (open !== undefined || first === undefined || !matchMedia('(min-width: 768px)').matches) return
    void navigate({ to: '/approvals', search: (before) => ({ ...before, open: first }), replace: true })
  }, [open, first, navigate])
}

function OpenCall({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(approvalQuery(id))
  if (data) return <Call approval={data} />
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  return <Loading rows={10} />
}

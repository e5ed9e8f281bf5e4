import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { counted } from '../../words/words.ts'
import css from './approvals.module.css'
import type { Approval } from './queries.ts'
import { recordsAgainMs, shownRecords } from './shown-records.ts'

/** Maximum number of calls that are read. An agent rarely repeats a held call this often. */
const mostCalls = 200

const words = { allow: 'The call that passed', require_approval: 'The held call', deny: 'The denied call' } as const

/**
 * Reads the decisions that name the approval: the held call with its repetitions, and the call that used the approval. The newest is first. `isPart` is
 * true if there are decisions that were not read.
 */
export function useRecords({ id, consumed_at }: Approval) {
  const { data } = useQuery({
    ...read('listDecisions', { query: { approval_id: id, page_size: mostCalls } }),
    refetchInterval: ({ state: { data } }) => data !== undefined && recordsAgainMs(data.data, consumed_at, Date.now()),
  })
  return { id, records: data?.data ?? [], isPart: data?.next_page_token !== undefined }
}

/** Links to the decisions of an approval. Each has its receipt. */
export function Records({ id, records, isPart }: ReturnType<typeof useRecords>) {
  const { shown, more } = shownRecords(records)
  return (
    <span className={css.stack}>
      {shown.map(({ decision_id, effect, at }) => (
        <span key={decision_id}>
          <PageLink to={`/decisions/${decision_id}`}>{words[effect]}</PageLink>, <RecordTime at={at} />
        </span>
      ))}
      {(more > 0 || isPart) && (
        <PageLink to="/decisions" search={{ approval_id: id }}>
          {isPart ? 'All calls of this approval' : `and ${counted(more, '# more call', '# more calls')}`}
        </PageLink>
      )}
    </span>
  )
}

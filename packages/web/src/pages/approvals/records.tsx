import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { PageLink } from '../../ui/page/page-link.tsx'
import { RecordTime } from '../../ui/texts/time.tsx'
import { numberOf } from '../../words/words.ts'
import css from './approvals.module.css'
import type { Approval } from './queries.ts'
import { shownRecords } from './shown-records.ts'

/** The clock of an edge and the clock of the server may differ by this time. */
const clocksMs = 60_000
/** Maximum number of calls of the tool that are read, because the list of decisions has no filter by approval. There are rarely more. */
const mostCalls = 200

const words = { allow: 'The call that passed', require_approval: 'The held call', deny: 'The denied call' } as const

/**
 * Reads the decisions that name the approval: the held call with its repetitions, and the call that used the approval. The newest is first. `isPart` is
 * true if there are decisions that were not read.
 */
export function useRecords({ id, agent_id, tool, requested_at, consumed_at, expires_at }: Approval) {
  const from = new Date(Date.parse(requested_at) - clocksMs).toISOString()
  const to = new Date(Date.parse(consumed_at ?? expires_at) + clocksMs).toISOString()
  const { data } = useQuery(read('listDecisions', { query: { agent_id, tool, from, to, page_size: mostCalls } }))
  const records = data?.data.filter(({ approval_id }) => approval_id === id) ?? []
  return { records, isPart: data?.next_page_token !== undefined }
}

/** Links to the decisions of an approval. Each has its receipt. */
export function Records({ records, isPart }: ReturnType<typeof useRecords>) {
  const { shown, more } = shownRecords(records)
  return (
    <span className={css.stack}>
      {shown.map(({ decision_id: id, effect, at }) => (
        <span key={id}>
          <PageLink to={`/decisions/${id}`}>{words[effect]}</PageLink>, <RecordTime at={at} />
        </span>
      ))}
      {more > 0 && <span>and {numberOf(more)} more</span>}
      {isPart && <span>Not all calls of this tool were read.</span>}
    </span>
  )
}

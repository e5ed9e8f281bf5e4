import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { useTextNow } from '../../ui/browser/use-now.ts'
import { PageLink, type Search } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Failed } from '../../ui/texts/notes.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { stopOf } from '../../words/denials.ts'
import { numberOf } from '../../words/words.ts'
import { endedAt, endedSince, stateOf } from './approval-state.ts'
import css from './approvals.module.css'
import { type Approval, endedQuery, startOfDay } from './queries.ts'

interface EndedListProps {
  isWhole: boolean
  open: string | undefined
  search: Search
}

/** Calls that were decided or expired today, or the last 100. */
export function EndedList({ isWhole, open, search }: EndedListProps) {
  const today = useTextNow(startOfDay)
  const { data, error, refetch } = useQuery(endedQuery())
  const { user } = useSession()
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const { data: read, total, names = {} } = data
  const rows = isWhole ? read : endedSince(read, today)
  const isCut = total > read.length && rows.at(-1) === read.at(-1)
  const nameOf = (id: string) => (id === user.id ? 'you' : (names[id] ?? 'a person who was removed'))
  return (
    <Panel
      title={isWhole ? 'Decided' : 'Decided today'}
      more={
        <PageLink to="/approvals" search={{ ...search, decided: isWhole ? undefined : 'all' }}>
          {isWhole ? 'Only today' : 'Earlier calls'}
        </PageLink>
      }
    >
      {rows.length === 0 && <p className={css.note}>{isWhole ? 'No call was decided so far.' : 'No call today.'}</p>}
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <PageLink
              to="/approvals"
              search={{ ...search, open: row.id }}
              className={`${css.ended} ${row.id === open ? css.open : ''}`}
              isRow
            >
              <span className={css.what}>
                <b>
                  <Name>{row.agent_name}</Name>
                </b>
                <span className="mono">
                  <ForeignText text={row.tool} />
                </span>
              </span>
              <span className={css.outcome}>
                <State {...stateOf(row)} />
                <span className={css.by}>
                  <Name>{byWhom(row, nameOf)}</Name>, <EndTime approval={row} />
                </span>
              </span>
            </PageLink>
          </li>
        ))}
      </ul>
      {isCut && (
        <p className={css.note}>
          {isWhole
            ? `The last ${numberOf(rows.length)} of ${numberOf(total)}.`
            : `Only the last ${numberOf(read.length)} calls are read. Earlier calls may have been decided today too.`}
        </p>
      )}
    </Panel>
  )
}

/** When the call ended, or when the agent asked if the end is not known. */
function EndTime({ approval }: { approval: Approval }) {
  const at = endedAt(approval)
  if (at !== undefined) return <Time at={at} />
  return (
    <>
      asked <Time at={approval.requested_at} />
    </>
  )
}

function byWhom(approval: Approval, nameOf: (id: string) => string): string {
  if (approval.resolved_by !== null) return nameOf(approval.resolved_by)
  return stopOf(approval) ?? 'nobody'
}

import { useState } from 'react'
import type { List } from '../../api/use-list.ts'
import { Button } from '../../ui/actions/button.tsx'
import { ListEnd } from '../../ui/lists/list-part.tsx'
import { PageLink, type Search } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { TimeLeft } from '../../ui/texts/time-left.tsx'
import { counted } from '../../words/words.ts'
import css from './approvals.module.css'
import { CallDifference } from './call-difference.tsx'
import type { Approval } from './queries.ts'
import { type HeldCalls, stillCalls } from './still-calls.ts'

interface WaitingListProps {
  list: List<Approval>
  rows: readonly Approval[]
  isMine: boolean
  open: string | undefined
  search: Search
}

/** The calls that wait. While the pointer or the focus is on the list, it does not move: new calls wait behind a button. */
export function WaitingList({ list, rows, isMine, open, search }: WaitingListProps) {
  const { shown, added, hold, release, showNew } = useStill(rows, list.readMore === undefined)
  const live = new Set(rows.map(({ id }) => id))
  return (
    <Panel title="Waiting" more={<span>shortest time first</span>}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: nothing happens but that the list stays where it is */}
      <div onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
        <div role="status">
          {added > 0 && (
            <p className={css.added}>
              <Button look="plain" onPress={showNew}>
                {counted(added, '# new call, show it', '# new calls, show them')}
              </Button>
            </p>
          )}
        </div>
        {shown.length === 0 && (
          <Empty action={isMine && <PageLink to="/policies">Rules that require approval</PageLink>}>
            {isMine ? 'No call waits for you.' : 'No call waits.'}
          </Empty>
        )}
        <ul>
          {shown.map((row) => (
            <WaitingRow
              key={row.id}
              {...row}
              isOver={!live.has(row.id)}
              isOpen={row.id === open}
              search={search}
              calls={shown}
            />
          ))}
        </ul>
      </div>
      {/* Outside the rows that are held, so that a press shows the next page. */}
      <ListEnd list={list} />
    </Panel>
  )
}

function WaitingRow(row: Approval & { isOver: boolean; isOpen: boolean; search: Search; calls: readonly Approval[] }) {
  return (
    <li>
      <PageLink
        to="/approvals"
        search={{ ...row.search, open: row.id }}
        className={`${css.row} ${row.isOpen ? css.open : ''}`}
        isRow
      >
        <b className={css.agent}>
          <Name>{row.agent_name}</Name>
        </b>
        {row.isOver ? (
          <span className={css.over}>not waiting any more</span>
        ) : (
          <TimeLeft from={row.requested_at} until={row.expires_at} />
        )}
        <span className={`${css.tool} mono`}>
          <ForeignText text={row.tool} />
        </span>
        <span className={css.rule}>
          <Name>{row.rule_name || 'Default effect of the policy'}</Name>
        </span>
        <CallDifference call={row} calls={row.calls} />
      </PageLink>
    </li>
  )
}

/** Keeps rows where they are while the reader is on them. */
function useStill(rows: readonly Approval[], isWhole: boolean) {
  const [held, setHeld] = useState<HeldCalls<Approval>>()
  const { shown, added } = held ? stillCalls(held, rows) : { shown: rows, added: 0 }
  if (held && shown !== held.calls) setHeld({ ...held, calls: shown })
  const now = { calls: rows, isWhole }
  return {
    shown,
    added,
    // An empty list has nothing under the pointer.
    hold: () => setHeld((before) => before ?? (rows.length > 0 ? now : undefined)),
    release: () => setHeld(undefined),
    showNew: () => setHeld(now),
  }
}

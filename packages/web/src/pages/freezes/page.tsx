import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { useSession } from '../../session/session.ts'
import { FreezeDialog } from '../../shell/stop/freeze-dialog.tsx'
import { Button } from '../../ui/actions/button.tsx'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { type Clause, Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { agentsOf, confirmedText, personText, reachText, stateOf } from './words.ts'

const states = [
  { value: 'true', text: 'Frozen' },
  { value: 'false', text: 'Lifted, or a drill' },
]

/** What is stopped, and did every edge confirm? */
export function FreezesPage() {
  const { active: state } = useSearch({ from: '/inside/freezes' })
  const { change, clear } = useFilters('/freezes')
  const filters: Filter[] = [{ name: 'active', label: 'State', value: state, options: states }]
  const query = { include: 'names', limit: 50, ...(state && { active: state === 'true' }) }
  const list = useList('listFreezes', { query })
  const { rows: active, total = 0 } = useList('listFreezes', { query: { active: true, limit: 50 } })
  const because = whyNot(useSession(), 'createFreeze')
  const [isOpen, setOpen] = useState(false)
  const clauses: Clause[] =
    total > 0
      ? [
          {
            text: counted(total, '# freeze stops agents', '# freezes stop agents', 10_000),
            to: '/freezes',
            search: { active: 'true' },
            tone: 'deny',
          },
        ]
      : [{ text: 'Nothing is frozen' }]
  const freeze = (
    <Button glyph="frozen" disabledBecause={because} onPress={() => setOpen(true)}>
      Freeze…
    </Button>
  )
  return (
    <>
      <PageHead
        name="Freezes"
        actions={freeze}
        sentence={active && <Sentence wrong={clauses} fine={confirmedText(active, total)} />}
        {...(active && { firstClause: clauses[0]?.text ?? '' })}
      />
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      <ListPart
        list={list}
        empty={
          state === undefined ? (
            <Empty action={freeze}>
              A freeze stops agents at once, and each edge confirms it. There was none so far. A drill measures how fast
              your edges confirm, and stops nothing.
            </Empty>
          ) : (
            <NoMatch what="freeze" filters={activeOf(filters)} onChange={change} onClear={clear} />
          )
        }
      >
        {(freezes) => (
          <Table
            label="Freezes, active freezes first"
            rows={freezes}
            idOf={({ id }) => id}
            columns={[
              {
                head: 'What',
                cell: ({ id, name }) => (
                  <PageLink to={`/freezes/${id}`}>
                    <Name>{name}</Name>
                  </PageLink>
                ),
              },
              { head: 'State', cell: (freeze) => <State {...stateOf(freeze)} />, narrow: 'top' },
              {
                head: 'Agents',
                cell: (freeze) => {
                  if (freeze.agents === null) return '–'
                  const count = numberOf(freeze.agents, 10_000)
                  return freeze.agents === 0 ? count : <PageLink {...agentsOf(freeze)}>{count}</PageLink>
                },
                isNumber: true,
              },
              {
                head: 'Edges',
                cell: (freeze) => (freeze.edges === null ? 'Open it to see its edges' : reachText(freeze)),
                narrow: 'start',
              },
              { head: 'Started', cell: ({ created_at }) => <Time at={created_at} />, narrow: 'end' },
              { head: 'By', cell: ({ created_by }) => <Name>{personText(created_by, list.names)}</Name> },
              { head: 'Reason', cell: ({ reason }) => <Name>{reason}</Name> },
            ]}
          />
        )}
      </ListPart>
      {isOpen && <FreezeDialog onClose={() => setOpen(false)} />}
    </>
  )
}

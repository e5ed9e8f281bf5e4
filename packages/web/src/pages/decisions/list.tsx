import type { Input, Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { Button } from '../../ui/actions/button.tsx'
import { NoMatch } from '../../ui/filters/filter-bar.tsx'
import type { ActiveFilter } from '../../ui/filters/filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyVersionLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { ClockTime } from '../../ui/texts/time.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { deciderOf } from '../../words/denials.ts'
import { timeZone } from '../../words/times.ts'
import { counted } from '../../words/words.ts'
import css from './decisions.module.css'
import type { Filters } from './filters.ts'

type Query = NonNullable<Input<'listDecisions'>['query']>
type Decision = Schema<'Decision'>

const pageSize = 50
const askAgainMs = 5000

interface ListProps {
  filters: Filters
  /** The filters that are on, in words. */
  active: readonly ActiveFilter[]
  /** The reader asked for the new calls. */
  onShow: () => void
  onChange: (name: string, value: string | undefined) => void
  onClear: () => void
}

/** Decisions, newest first. New ones wait behind a button, so that nothing moves under the pointer. */
export function DecisionList({ filters, active, onShow, onChange, onClear }: ListProps) {
  const query = filters as Query
  const list = useList(
    'listDecisions',
    { query: { ...query, page_size: pageSize } },
    { keyOf: ({ decision_id: id }) => id, isStill: true },
  )
  const show = () => {
    onShow()
    list.retry()
  }
  return (
    <>
      {list.rows && filters.to === undefined && <NewRows query={query} newest={list.rows[0]} onShow={show} />}
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="recorded call"
              filters={active}
              onChange={onChange}
              onClear={onClear}
              without={(name) =>
                anyRow(
                  'listDecisions',
                  { query: { ...query, page_size: 1 } },
                  name === 'within' ? ['from', 'to'] : [name],
                )
              }
            />
          ) : (
            <NoDecision />
          )
        }
      >
        {(rows) =>
          rows.length > 0 ? (
            <Rows rows={rows} />
          ) : (
            <p className={css.note}>No call matches in the part that was read.</p>
          )
        }
      </ListPart>
    </>
  )
}

const NoDecision = () => (
  <Empty action={<PageLink to="/edges">Open the edges</PageLink>}>
    Each call of an agent that passes an edge is recorded here, with the rule that decided. No call was recorded so far.
  </Empty>
)

/** Says how many calls were recorded since the list was read. */
function NewRows({ query, newest, onShow }: { query: Query; newest: Decision | undefined; onShow: () => void }) {
  const from = newest ? new Date(Date.parse(newest.at) + 1).toISOString() : undefined
  const { data } = useQuery({
    ...read('listDecisions', { query: { ...query, ...(from && { from }), page_size: pageSize } }),
    refetchInterval: askAgainMs,
    staleTime: 0,
  })
  const count = data?.data.length ?? 0
  return (
    <div role="status" className={css.new}>
      {count > 0 && (
        <Button onPress={onShow}>{counted(count, '# new call, show it', '# new calls, show them', pageSize)}</Button>
      )}
    </div>
  )
}

function Rows({ rows }: { rows: readonly Decision[] }) {
  return (
    <Table
      label="Decisions, newest first"
      rows={rows}
      idOf={({ decision_id: id }) => id}
      columns={[
        {
          head: `Time, ${timeZone()}`,
          cell: ({ decision_id: id, at }) => (
            <PageLink to={`/decisions/${id}`}>
              <ClockTime at={at} />
            </PageLink>
          ),
        },
        {
          head: 'Effect',
          cell: ({ effect, mode }) => (
            <>
              <State {...effects[effect]} />
              {mode === 'monitor' && <span className={css.dim}> not enforced</span>}
            </>
          ),
          narrow: 'top',
        },
        {
          head: 'Agent',
          cell: ({ agent }) => (
            <PageLink to={`/agents/${agent.id}`} className={css.agent}>
              <Name title={agent.name ?? undefined}>{agent.name ?? 'An agent'}</Name>
            </PageLink>
          ),
          narrow: 'end',
        },
        { head: 'Tool', cell: ({ tool }) => <ToolName tool={tool} />, narrow: 'start' },
        {
          head: 'Why',
          cell: (decision) => <Name>{deciderOf(decision)}</Name>,
        },
        {
          head: 'Policy',
          cell: ({ policy }) => policy && <PolicyVersionLink {...policy} />,
        },
        { head: 'Record', cell: ({ integrity }) => <State {...integrities[integrity]} /> },
      ]}
    />
  )
}

const integrities = {
  signed: { glyph: 'approved', word: 'Signed', tone: 'quiet' },
  unsigned: { glyph: 'proposed', word: 'Unsigned', tone: 'off' },
  broken: { glyph: 'close', word: 'Records are missing', tone: 'deny' },
} as const

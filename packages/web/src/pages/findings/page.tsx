import type { Input, Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { anyRow, useList } from '../../api/use-list.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter, ofLink, optionsOf } from '../../ui/filters/filters.ts'
import { useEnvironmentFilter } from '../../ui/filters/use-environment-filter.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { NewRows } from '../../ui/lists/held-rows.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { useStillRows } from '../../ui/lists/still-rows.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { severities } from '../../ui/page/states.ts'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { FindingRow } from './finding-row.tsx'
import { findingTypes } from './finding-types.ts'
import css from './findings.module.css'
import { clausesOf } from './sentence.ts'

type Query = NonNullable<Input<'listFindings'>['query']>

/** What is wrong, since when, and what fixes it? */
export function FindingsPage() {
  const search = useSearch({ from: '/inside/findings' })
  const { change, clear } = useFilters('/findings')
  const { data: overview } = useQuery(read('getOverview', { query: { include: 'names' } }))
  const list = useList('listFindings', {
    query: { ...(search as Query), sort: 'attention', include: 'may,names', limit: 50 },
  })
  const filters = useFindingFilters(list.names)
  const active = activeOf(filters)
  const clauses = overview && clausesOf(overview)
  return (
    <>
      <PageHead
        name="Findings"
        sentence={clauses && <Sentence waiting={clauses.slice(0, 1)} wrong={clauses.slice(1)} />}
        {...(clauses && { firstClause: clauses[0]?.text ?? '' })}
      />
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="finding"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) => anyRow('listFindings', { query: search as Query }, [name])}
            />
          ) : (
            <NoFinding />
          )
        }
      >
        {(findings) => <Rows findings={findings} names={list.names} of={JSON.stringify([search, list.isOld])} />}
      </ListPart>
    </>
  )
}

interface RowsProps {
  findings: readonly Schema<'Finding'>[]
  names: Readonly<Record<string, string>>
  /** The filters of the list. */
  of: string
}

/** The findings. New ones wait behind a button, so that nothing moves under the pointer. */
function Rows({ findings, names, of }: RowsProps) {
  const { shown, waiting, show } = useStillRows(findings, of)
  return (
    <>
      <NewRows waiting={waiting} one="finding" other="findings" show={show} />
      <ul className={css.list} aria-label="Findings, the most urgent first">
        {shown.map((finding) => (
          <FindingRow key={finding.id} finding={finding} names={names} />
        ))}
      </ul>
    </>
  )
}

function useFindingFilters(names: Readonly<Record<string, string>>): Filter[] {
  const {
    status,
    type,
    severity,
    environment_id: environment,
    agent_id: agent,
  } = useSearch({ from: '/inside/findings' })
  const place = useEnvironmentFilter(environment)
  return [
    {
      name: 'status',
      label: 'Status',
      value: status,
      options: [
        { value: 'open', text: 'Open' },
        { value: 'closed', text: 'Closed' },
      ],
    },
    {
      name: 'type',
      label: 'Type',
      value: type,
      options: findingTypes.map(({ type: value, look }) => ({ value, text: look.word })),
    },
    { name: 'severity', label: 'Severity', value: severity, options: optionsOf(severities) },
    place,
    ...ofLink('agent_id', 'Agent', agent, names),
  ]
}

const NoFinding = () => (
  <Empty>
    There was no finding so far. A finding opens by itself when an agent runs what nobody approved, or when evidence is
    missing.
  </Empty>
)

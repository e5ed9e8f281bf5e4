import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { anyRow, type List, useList } from '../../api/use-list.ts'
import { whyNot } from '../../api/why-not.ts'
import { heartbeatsMs, withHeartbeats } from '../../live/heartbeats.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, type Filter } from '../../ui/filters/filters.ts'
import { useEnvironmentFilter } from '../../ui/filters/use-environment-filter.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { numberOf } from '../../words/words.ts'
import { facetsQuery } from '../agents/queries.ts'
import { CreateEdge } from './create-edge.tsx'
import { RunningEdges } from './running-edges.tsx'
import { clausesOf, type EdgeCounts, fineOf, stateOf, versionWords } from './words.ts'

const states = [
  { value: 'true', text: 'Silent' },
  { value: 'false', text: 'Reporting' },
]

/** Is every agent covered by an edge that reports? */
export function EdgesPage() {
  const because = whyNot(useSession(), 'createEdge')
  const dialog = useDialog({ create: because })
  const { silent, environment_id } = useSearch({ from: '/inside/edges' })
  const query = {
    include: 'may,names',
    limit: 100,
    ...(silent && { silent: silent === 'true' }),
    ...(environment_id && { environment_id }),
  }
  const ofRunning = { silent, environmentId: environment_id }
  const list = useList('listEdges', { query }, { againMs: heartbeatsMs })
  const counts = useCounts()
  const { change, clear } = useFilters('/edges')
  const filters: Filter[] = [
    { name: 'silent', label: 'State', value: silent, options: states },
    useEnvironmentFilter(environment_id),
  ]
  const active = activeOf(filters)
  const create = (
    <Button look="act" disabledBecause={because} onPress={() => dialog.open('create')}>
      Create edge
    </Button>
  )
  return (
    <>
      <PageHead
        name="Edges"
        sentence={counts && <Sentence wrong={clausesOf(counts)} fine={fineOf(counts)} />}
        {...(counts && { firstClause: clausesOf(counts)[0]?.text ?? fineOf(counts) ?? '' })}
        actions={create}
      />
      <FilterBar filters={filters} onChange={change} onClear={clear} />
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="edge"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) => anyRow('listEdges', { query: query }, [name])}
            />
          ) : (
            <Empty>
              {counts !== undefined && counts.ownKeys > 0 && 'No edge has a key of its own. '}An edge is a process
              beside the agents. It decides their calls by their policies and reports each decision. Create one, and
              start it with the command that is shown.
            </Empty>
          )
        }
      >
        {() => <EdgeTable list={list} />}
      </ListPart>
      {/* An edge that runs several times can be silent in a part of them, and is not silent itself. */}
      {silent === 'true' && <RunningEdges credential="edge" title="Running edges that do not answer" {...ofRunning} />}
      <RunningEdges credential="agent" title="Edges with the key of an agent" {...ofRunning} />
      {dialog.name === 'create' && <CreateEdge onClose={dialog.close} />}
    </>
  )
}

function EdgeTable({ list: { rows = [], names } }: { list: List<Schema<'Edge'>> }) {
  return (
    <Table
      label="Edges, silent ones first"
      rows={rows}
      idOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          cell: ({ id, name }) => (
            <PageLink to={`/edges/${id}`}>
              <Name>{name}</Name>
            </PageLink>
          ),
        },
        { head: 'State', cell: (edge) => <State {...stateOf(edge)} />, narrow: 'start' },
        { head: 'Environment', cell: ({ environment_id: id }) => <Name>{names[id] ?? id}</Name> },
        {
          head: 'Agents served',
          isNumber: true,
          cell: ({ agents_served: served }) => (served === null ? '–' : numberOf(served)),
        },
        {
          head: 'Last heartbeat',
          narrow: 'end',
          cell: ({ last_heartbeat_at: at }) => (at ? <Time at={at} /> : 'none yet'),
        },
        { head: 'Version', cell: versionWords },
        { head: 'Key begins with', cell: ({ key_prefix }) => <code>{key_prefix}</code> },
        { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  )
}

/** How many edges there are, are silent, and report, and how many agents have none. Undefined while the counts are read. */
function useCounts(): EdgeCounts | undefined {
  const ofKeys = { credential: 'agent', limit: 1 } as const
  const all = useQuery({ ...read('listEdges', { query: { limit: 1 } }), ...withHeartbeats })
  const silent = useQuery({ ...read('listEdges', { query: { limit: 1, silent: true } }), ...withHeartbeats })
  const reporting = useQuery({ ...read('listEdges', { query: { limit: 1, silent: false } }), ...withHeartbeats })
  const own = useQuery({ ...read('listEdgeInstances', { query: ofKeys }), ...withHeartbeats })
  const ownSilent = useQuery({
    ...read('listEdgeInstances', { query: { ...ofKeys, silent: true } }),
    ...withHeartbeats,
  })
  const facets = useQuery({ ...facetsQuery({}), ...withHeartbeats })
  if (!all.data || !silent.data || !reporting.data || !own.data || !ownSilent.data || !facets.data) return undefined
  const uncovered = facets.data.execution_coverage_state.find(({ key }) => key === 'unknown')
  return {
    all: all.data.total,
    silent: silent.data.total,
    reporting: reporting.data.total,
    ownKeys: own.data.total,
    ownKeysSilent: ownSilent.data.total,
    uncovered: { count: uncovered?.count ?? 0, isLeast: uncovered?.at_least === true },
  }
}

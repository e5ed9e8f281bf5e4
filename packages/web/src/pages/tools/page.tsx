import type { Input } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { anyRow, type List, useList } from '../../api/use-list.ts'
import { FilterBar, NoMatch } from '../../ui/filters/filter-bar.tsx'
import { activeOf, ofLink } from '../../ui/filters/filters.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { type Picked, withPicks } from '../../ui/lists/picks.ts'
import { Table } from '../../ui/lists/table.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { numberOf } from '../../words/words.ts'
import { filtersOf, type ToolSearch } from './filters.ts'
import { ToolWarnings } from './tool-warnings.tsx'
import { ToolsBar } from './tools-bar.tsx'
import { clausesOf, fineOf, hasUnpinned, type Tool, toolStates } from './words.ts'

type Query = NonNullable<Input<'listTools'>['query']>
type Conditions = NonNullable<Input<'getToolFacets'>['query']>

/** Which tools do servers declare, and did one change after people looked at it? */
export function ToolsPage() {
  const search: ToolSearch = useSearch({ from: '/inside/tools' })
  const all = useQuery(read('getToolFacets'))
  const { data: facets } = useQuery({
    ...read('getToolFacets', { query: search as Conditions }),
    placeholderData: keepPreviousData,
  })
  const list = useList('listTools', { query: { ...(search as Query), include: 'may,names', page_size: 50 } })
  const [selected, setSelected] = useState<Picked<Tool>>(new Map())
  const { change, clear } = useFilters('/tools')
  const agentNames = useAgentName(search.agent_id)
  const filters = [...filtersOf(search, facets, all.data), ...ofLink('agent_id', 'Agent', search.agent_id, agentNames)]
  const name = { name: 'search', label: 'Name', value: search.search }
  const active = activeOf(filters, name)
  const clauses = all.data && clausesOf(all.data)
  return (
    <>
      <PageHead
        name="Tools"
        sentence={all.data && <Sentence wrong={clauses ?? []} fine={fineOf(all.data)} />}
        {...(all.data && { firstClause: clauses?.[0]?.text ?? fineOf(all.data) ?? '' })}
      />
      <FilterBar search={name} filters={filters} onChange={change} onClear={clear} />
      {selected.size > 0 && <ToolsBar selected={selected} rows={list.rows ?? []} onDone={setSelected} />}
      <ListPart
        list={list}
        empty={
          active.length > 0 ? (
            <NoMatch
              what="tool"
              filters={active}
              onChange={change}
              onClear={clear}
              without={(name) => anyRow('listTools', { query: { ...(search as Query), page_size: 1 } }, [name])}
            />
          ) : (
            <NoTool />
          )
        }
      >
        {() => <ToolTable list={list} selected={selected} onSelect={setSelected} />}
      </ListPart>
    </>
  )
}

const NoTool = () => (
  <Empty>
    No tool server has declared a tool yet. Put the MCP server behind an edge: write{' '}
    <code>mandate edge --server &lt;name&gt; --</code> before the command of the server in the configuration of the
    agent's client. The page <code>docs/mcp.md</code> describes this, and servers over HTTP. The edge reports the tools
    when the client lists them through the edge. Pin a definition after you have read it, and Mandate says when a server
    declares another one.
  </Empty>
)

interface ToolTableProps {
  list: List<Tool>
  selected: Picked<Tool>
  onSelect: (selected: Picked<Tool>) => void
}

function ToolTable({ list: { rows = [], names }, selected, onSelect }: ToolTableProps) {
  const pick = (tools: readonly Tool[], isPicked: boolean) => onSelect(withPicks(selected, tools, isPicked))
  return (
    <Table
      label="Tools, by name"
      rows={rows}
      idOf={({ id }) => id}
      picks={{
        nameOf: (tool) => (hasUnpinned(tool) ? `Select ${tool.tool}` : undefined),
        all: 'Select all tools in the list that can be pinned',
        picked: selected,
        onPick: pick,
      }}
      columns={[
        {
          head: 'Tool',
          cell: ({ id, tool }) => (
            <PageLink to={`/tools/${id}`} isRow>
              <ToolName tool={tool} />
            </PageLink>
          ),
        },
        { head: 'State', cell: ({ state }) => <State {...toolStates[state]} />, narrow: 'start' },
        { head: 'Warnings', cell: ({ warnings }) => <ToolWarnings warnings={warnings} />, narrow: 'end' },
        { head: 'Environment', cell: ({ environment_id: id }) => <Name>{names[id] ?? id}</Name> },
        { head: 'Labels', cell: ({ labels }) => (labels.length > 0 ? labels.join(', ') : '–') },
        { head: 'Agents', isNumber: true, cell: ({ agents }) => numberOf(agents, 10_000) },
        { head: 'Calls in 30 days', isNumber: true, cell: ({ calls_30d: calls }) => numberOf(calls) },
        { head: 'Last declared', cell: ({ last_seen_at: at }) => <Time at={at} /> },
      ]}
    />
  )
}

/** The name of the agent of a link, by its id. */
function useAgentName(id: string | undefined): Record<string, string> {
  const { data } = useQuery({
    ...read('getAgent', { path: { agent_id: id ?? '' } }),
    enabled: id !== undefined,
  })
  return data && id !== undefined ? { [id]: data.name } : {}
}

import { useSearch } from '@tanstack/react-router'
import { useList } from '../../api/use-list.ts'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { RuleNames } from './rule-names.tsx'
import css from './tool.module.css'
import { type Tool, verdictChoices, verdicts } from './words.ts'

/** Which agents of the environment may call the tool, and which rule says so. */
export function ToolReach({ tool }: { tool: Tool }) {
  const { verdict } = useSearch({ from: '/inside/tools/$id' })
  const list = useList(
    'getToolReach',
    {
      path: { tool_id: tool.id },
      query: { page_size: 50, ...(verdict !== undefined && { verdict: verdict as 'allow' }) },
    },
    { keyOf: ({ agent }) => agent.id },
  )
  return (
    <Panel title="Who may call it" legend={<span className={css.note}>by the policies in force</span>}>
      <div className={css.verdicts}>
        <FilterLinks label="Verdict" to={`/tools/${tool.id}`} choices={verdictChoices} />
      </div>
      <ListPart
        list={list}
        empty={
          <p className={css.note}>
            {verdict === undefined ? 'No agent that you see is in this environment.' : 'No agent has this verdict.'}
          </p>
        }
      >
        {(rows) => (
          <Table
            label="Agents by what they may do with the tool"
            rows={rows}
            idOf={({ agent }) => agent.id}
            columns={[
              {
                head: 'Agent',
                cell: ({ agent }) => (
                  <PageLink to={`/agents/${agent.id}`}>
                    <Name>{agent.name}</Name>
                  </PageLink>
                ),
              },
              { head: 'Verdict', cell: (row) => <State {...verdicts[row.verdict]} />, narrow: 'start' },
              { head: 'By', cell: (row) => <RuleNames {...row} />, narrow: 'end' },
            ]}
          />
        )}
      </ListPart>
    </Panel>
  )
}

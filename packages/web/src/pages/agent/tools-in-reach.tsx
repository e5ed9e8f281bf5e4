import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { FilterLinks } from '../../ui/filters/filter-links.tsx'
import { ListPart } from '../../ui/lists/list-part.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { ToolName } from '../../ui/texts/tool-name.tsx'
import { numberOf } from '../../words/words.ts'
import { RuleNames } from '../tool/rule-names.tsx'
import { verdictChoices, verdicts } from '../tool/words.ts'
import css from './agent.module.css'
import { ReachChoice, useReachPolicy } from './reach-choice.tsx'
import type { Agent } from './words.ts'

/** What the agent may do with each tool that servers of its environment declare, by the assigned policy or by the running one. */
export function ToolsInReach({ agent }: { agent: Agent }) {
  const { by, policy } = useReachPolicy(agent)
  const { verdict } = useSearch({ from: '/inside/agents/$id' })
  const path = { agent_id: agent.id }
  const { data } = useQuery(read('getAgentReach', { path, query: { policy, page_size: 1 } }))
  const all = data && Object.values(data.counts).reduce((sum, count) => sum + count, 0)
  const countOf = (wanted: string | undefined) =>
    wanted === undefined ? all : data?.counts[wanted as keyof typeof data.counts]
  const choices = verdictChoices.map(({ name, search }) => {
    const count = countOf('verdict' in search ? search.verdict : undefined)
    return { name: count === undefined ? name : `${name} ${numberOf(count)}`, search }
  })
  return (
    <Panel
      title="Tools of its environment"
      legend={
        <span className={css.note}>
          by <Phrase>{by}</Phrase>
        </span>
      }
    >
      <ReachChoice agent={agent} />
      <div className={css.verdicts}>
        <FilterLinks label="Verdict" to={`/agents/${agent.id}`} choices={choices} />
      </div>
      {/* The key starts a new list for the other policy. Otherwise the old verdicts would stay until the new ones are read. */}
      <ToolList key={policy} agent={agent} policy={policy} verdict={verdict} />
    </Panel>
  )
}

interface ToolListProps {
  agent: Agent
  policy: 'in_force' | 'running'
  verdict: string | undefined
}

function ToolList({ agent, policy, verdict }: ToolListProps) {
  const query = { policy, page_size: 50, ...(verdict !== undefined && { verdict: verdict as 'allow' }) }
  const list = useList('getAgentReach', { path: { agent_id: agent.id }, query }, { keyOf: ({ tool_id }) => tool_id })
  return (
    <ListPart
      list={list}
      empty={
        <p className={css.note}>
          {verdict === undefined
            ? 'No tool server has declared a tool in the environment of the agent.'
            : 'No tool has this verdict.'}
        </p>
      }
    >
      {(rows) => (
        <Table
          label="Tools of the environment by what the agent may do with them"
          rows={rows}
          idOf={({ tool_id }) => tool_id}
          columns={[
            {
              head: 'Tool',
              cell: ({ tool_id, tool }) => (
                <PageLink to={`/tools/${tool_id}`}>
                  <ToolName tool={tool} />
                </PageLink>
              ),
            },
            { head: 'Verdict', cell: (row) => <State {...verdicts[row.verdict]} />, narrow: 'start' },
            { head: 'By', cell: (row) => <RuleNames {...row} />, narrow: 'end' },
          ]}
        />
      )}
    </ListPart>
  )
}

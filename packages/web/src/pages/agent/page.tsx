import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { heartbeatsMs } from '../../live/heartbeats.ts'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { coverages, driftOf } from '../../ui/page/states.ts'
import { Tabs } from '../../ui/page/tabs.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { numberOf } from '../../words/words.ts'
import { stateOf } from '../agents/agent-state.ts'
import { AgentActions } from './actions.tsx'
import css from './agent.module.css'
import { Comparison } from './comparison.tsx'
import { Coverage } from './coverage.tsx'
import { Delegations } from './delegations/delegations.tsx'
import { Facts } from './facts.tsx'
import { LiveDecisions } from './live-decisions.tsx'
import { Reach } from './reach.tsx'
import { ReachChoice } from './reach-choice.tsx'
import { Timeline } from './timeline.tsx'
import { ToolsInReach } from './tools-in-reach.tsx'
import { useDifference } from './use-difference.ts'
import { useGateClause } from './use-gate-clause.ts'
import { type Agent, clausesOf, differenceClause, heardOf } from './words.ts'

const tabs = [
  { tab: undefined, name: 'Approved and running' },
  { tab: 'timeline', name: 'Timeline' },
  { tab: 'reach', name: 'Reach' },
  { tab: 'coverage', name: 'Coverage' },
  { tab: 'decisions', name: 'Decisions' },
  { tab: 'delegations', name: 'Delegations' },
] as const

const pollMs = 5000

export const agentQuery = (id: string) =>
  read('getAgent', { path: { agent_id: id }, query: { include: ['may', 'names', 'activity'] } })

/** Who is it, what may it do, and does what runs match what was approved? */
export function AgentPage() {
  const { id } = useParams({ from: '/inside/agents/$id' })
  const { tab } = useSearch({ from: '/inside/agents/$id' })
  const {
    data: agent,
    error,
    refetch,
  } = useQuery({
    ...agentQuery(id),
    // The reader of a new key waits for the heartbeat that uses it.
    refetchInterval: ({ state: { data } }) => data !== undefined && (data.new_key_unused_since ? pollMs : heartbeatsMs),
  })
  if (!agent)
    return (
      <Unread name="Agent" error={error} onRetry={() => void refetch()} all={{ to: '/agents', text: 'All agents' }} />
    )
  return <Shown agent={agent} tab={tab} />
}

interface ShownProps {
  agent: Agent
  tab: string | undefined
}

function Shown({ agent, tab }: ShownProps) {
  const { id, last_heartbeat_at: heard } = agent
  const { data: version } = useDifference(agent)
  const gate = useGateClause(agent)
  const clauses = clausesOf({ agent, names: agent.names ?? {}, gate })
  const difference = clauses.instead && version?.diff ? differenceClause(version.diff) : undefined
  const findings = agent.execution_coverage.findings.length
  return (
    <>
      <PageHead
        name={agent.name}
        history={{ agent_id: agent.id }}
        states={
          <>
            <State {...driftOf(agent)} />
            <State {...stateOf(agent)} />
            <State {...coverages[agent.execution_coverage_state]} />
            {heard !== null && (
              <span className={css.heard}>
                heartbeat <Time at={heard} />
              </span>
            )}
          </>
        }
        actions={<AgentActions agent={agent} />}
        note={<Responsible agent={agent} />}
        sentence={<Sentence {...clauses} fine={difference ?? clauses.fine} />}
        firstClause={heardOf(clauses)}
      />
      <Tabs
        label="Views of the agent"
        tabs={tabs.map((view) => ({
          name: view.name,
          to: `/agents/${id}`,
          search: { tab: view.tab },
          count: view.tab === 'coverage' && findings > 0 ? numberOf(findings) : undefined,
          isOpen: view.tab === tab,
        }))}
      />
      <div className={css.view}>
        <View agent={agent} tab={tab} />
      </div>
    </>
  )
}

/** Who is responsible for the agent. That nobody is responsible needs somebody. */
function Responsible({ agent: { owner_user_id: id, names = {} } }: { agent: Agent }) {
  if (id === null) return <State glyph="warn" tone="hold" word="Nobody is responsible" />
  return (
    <>
      Responsible: <Name>{names[id] ?? 'a removed person'}</Name>
    </>
  )
}

function View({ agent, tab }: ShownProps) {
  if (tab === 'timeline') return <Timeline agent={agent} />
  if (tab === 'reach')
    return (
      <div className={css.stack}>
        <ToolsInReach agent={agent} />
        <Reach key={agent.id} agent={agent} />
      </div>
    )
  if (tab === 'coverage') return <Coverage agent={agent} />
  if (tab === 'decisions') return <LiveDecisions agentId={agent.id} rows={50} />
  if (tab === 'delegations') return <Delegations agent={agent} />
  return (
    <>
      <Comparison agent={agent} />
      <div className={css.columns}>
        <div className={css.stack}>
          <Reach key={agent.id} agent={agent} choice={<ReachChoice agent={agent} />} />
          <LiveDecisions agentId={agent.id} rows={10} />
        </div>
        <div className={css.stack}>
          <Panel
            title="Timeline"
            more={
              <PageLink to={`/agents/${agent.id}`} search={{ tab: 'timeline' }}>
                All
              </PageLink>
            }
          >
            <Timeline agent={agent} most={8} />
          </Panel>
          <Coverage agent={agent} />
          <Facts agent={agent} />
        </div>
      </div>
    </>
  )
}

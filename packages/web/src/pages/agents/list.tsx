import { memo, type ReactNode, useCallback, useState } from 'react'
import { anyRow } from '../../api/use-list.ts'
import { heartbeatsMs } from '../../live/heartbeats.ts'
import { Button } from '../../ui/actions/button.tsx'
import { ActivityStrip } from '../../ui/charts/activity-strip.tsx'
import { NoMatch } from '../../ui/filters/filter-bar.tsx'
import type { ActiveFilter } from '../../ui/filters/filters.ts'
import { EndlessList } from '../../ui/lists/endless-list.tsx'
import type { Listed } from '../../ui/lists/endless-pages.ts'
import { hasAll, type Picked, withPicks } from '../../ui/lists/picks.ts'
import { moveWithKeys } from '../../ui/lists/row-keys.ts'
import { useCutText } from '../../ui/lists/use-cut-text.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { PolicyLink } from '../../ui/page/policy-link.tsx'
import { State } from '../../ui/page/state.tsx'
import { coverages, driftOf } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { Empty } from '../../ui/texts/notes.tsx'
import { Age } from '../../ui/texts/time.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { stateOf } from './agent-state.ts'
import css from './agents.module.css'
import { type Agent, type AgentSearch, agentsInput, agentsQuery } from './queries.ts'

interface AgentsListProps {
  search: AgentSearch
  /** The filters that are on, in words. */
  active: readonly ActiveFilter[]
  selected: Picked<Listed>
  onSelect: (change: (before: Picked<Listed>) => Picked<Listed>) => void
  /** The agents that the list shows, as `onRows` got them. */
  rows: readonly Listed[]
  onRows: (rows: readonly Listed[]) => void
  onChange: (name: string, value: string | undefined) => void
  onClear: () => void
  /** Undefined if the reader may not register agents. */
  onRegister: (() => void) | undefined
}

/** The agents with these filters. It continues while the reader scrolls. */
export function AgentsList(props: AgentsListProps) {
  const { search, active, selected, onSelect, rows, onRows, onChange, onClear, onRegister } = props
  const [isWhole, setWhole] = useState(false)
  const {
    // Cells of this list have titles of their own.
    handlers: { onMouseOver: _, ...ofFocus },
    tooltip,
  } = useCutText()
  const toggle = useCallback(
    (agent: Agent) => onSelect((before) => withPicks(before, [agent], !before.has(agent.id))),
    [onSelect],
  )
  const listKey = JSON.stringify(search)
  // Each change of these functions would render all rows again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the content of the search
  const pageQuery = useCallback((token: string | undefined) => agentsQuery(search, token), [listKey])
  const showRows = useCallback(
    (agents: readonly Agent[], page: { names?: Record<string, string> }) =>
      agents.map((agent) => (
        <AgentRow
          key={agent.id}
          agent={agent}
          names={page.names ?? noNames}
          isSelected={selected.has(agent.id)}
          onToggle={toggle}
        />
      )),
    [selected, toggle],
  )
  const isAll = hasAll(
    selected,
    rows.map(({ id }) => id),
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between links, which work without them
    <div onKeyDown={moveWithKeys} {...ofFocus}>
      <EndlessList
        listKey={listKey}
        pageQuery={pageQuery}
        // In this order, rows would move under the pointer.
        againMs={search.sort === 'last_heartbeat' ? undefined : heartbeatsMs}
        label="Agents"
        className={css.table}
        columns={10}
        head={<Head isChecked={isAll} onCheck={() => onSelect((before) => withPicks(before, rows, !isAll))} />}
        none={
          active.length > 0 ? (
            <NoMatch
              what="agent"
              filters={active}
              onChange={onChange}
              onClear={onClear}
              without={(name) => anyRow('listAgents', { query: agentsInput(search) }, [name])}
            />
          ) : (
            <NoAgents state={search.governance_state} onRegister={onRegister} />
          )
        }
        onRows={useCallback(
          (listed: readonly Listed[], isWhole: boolean) => {
            onRows(listed)
            setWhole(isWhole)
          },
          [onRows],
        )}
      >
        {showRows}
      </EndlessList>
      {tooltip}
      {rows.length > 0 && (
        <p className={css.foot}>
          <span>
            {counted(rows.length, '# agent', '# agents')}
            {isWhole ? '' : ' so far. The list continues as you scroll.'}
          </span>
          <span className={css.keys}>
            <kbd>J</kbd> <kbd>K</kbd> move, <kbd>X</kbd> select, <kbd>Enter</kbd> open, <kbd>?</kbd> all keys
          </span>
        </p>
      )}
    </div>
  )
}

function Head({ isChecked, onCheck }: { isChecked: boolean; onCheck: () => void }) {
  return (
    <thead>
      <tr>
        <th scope="col" className={css.pick}>
          <input
            type="checkbox"
            aria-label="Select all agents that the list shows"
            checked={isChecked}
            onChange={onCheck}
          />
        </th>
        <th scope="col">Agent</th>
        <th scope="col" className={css.drift}>
          Approved and running
        </th>
        <th scope="col" className={css.policy}>
          Policy
        </th>
        <th scope="col" className={css.state}>
          State
        </th>
        <th scope="col" className={css.coverage}>
          Coverage
        </th>
        <th scope="col" className={css.hours}>
          24 hours
        </th>
        <th scope="col" className={`${css.number} ${css.wide}`}>
          Calls
        </th>
        <th scope="col" className={`${css.number} ${css.denied}`}>
          Denied
        </th>
        <th scope="col" className={`${css.number} ${css.beat}`}>
          Heartbeat
        </th>
        <th scope="col" className={css.environment}>
          Environment
        </th>
        <th scope="col" className={css.wide}>
          Owner
        </th>
      </tr>
    </thead>
  )
}

interface AgentRowProps {
  agent: Agent
  names: Record<string, string>
  isSelected: boolean
  onToggle: (agent: Agent) => void
}

const noNames = {}

/** The number of denied calls of a day is red from this number on. A policy that works denies a few calls every day. */
const manyDenied = 10

const AgentRow = memo(function AgentRow({ agent, names, isSelected, onToggle }: AgentRowProps) {
  const { id, name, policy, approved_policy, running_policy, environment, owner_user_id, last_heartbeat_at } = agent
  const hours = agent.activity?.hours ?? []
  const sum = (kind: number) => hours.reduce((total, counts) => total + (counts[kind] ?? 0), 0)
  const denied = sum(1)
  const calls = sum(0) + denied + sum(2)
  const words = `${counted(calls, '# call', '# calls')} in 24 hours, ${numberOf(denied)} denied`
  return (
    <tr data-selected={isSelected}>
      <td className={css.pick}>
        <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={() => onToggle(agent)} />
      </td>
      <th scope="row" title={name}>
        <PageLink to={`/agents/${id}`} isRow>
          <Name>{name}</Name>
        </PageLink>
      </th>
      <td className={css.drift}>
        <State {...driftOf(agent)} />
        {agent.drift === true && <Versions from={approved_policy} to={running_policy} names={names} />}
      </td>
      <td title={policy?.name}>
        {policy ? (
          <>
            <Name>{policy.name}</Name> <span className={`${css.dim} mono`}>v{policy.version}</span>
          </>
        ) : (
          <span className={css.dim}>None</span>
        )}
      </td>
      <td className={css.state}>
        <State {...stateOf(agent)} />
      </td>
      <td className={css.coverage}>
        <State {...coverages[agent.execution_coverage_state]} />
      </td>
      <td className={css.hours}>
        <ActivityStrip hours={hours} label={words} />
      </td>
      <td className={`${css.number} ${css.wide}`}>{numberOf(calls)}</td>
      <td className={`${css.number} ${css.denied}`}>
        {denied >= manyDenied ? <b className={css.red}>{numberOf(denied)}</b> : numberOf(denied)}
      </td>
      <td className={`${css.number} ${css.beat}`}>
        {last_heartbeat_at ? <Age at={last_heartbeat_at} /> : <span className={css.dim}>never</span>}
      </td>
      <td className={css.environment} title={environment?.name}>
        {environment ? <Name>{environment.name}</Name> : <span className={css.dim}>None</span>}
      </td>
      <td className={css.wide}>
        {owner_user_id ? (
          <Name>{names[owner_user_id] ?? 'Removed person'}</Name>
        ) : (
          <span className={css.dim}>Nobody</span>
        )}
      </td>
    </tr>
  )
})

type At = { id: string; version: number | null } | null

type Names = Readonly<Record<string, string>>

/** A version of a policy. The name of the policy is known if the reader may see the policy. */
function VersionOf({ at, names }: { at: At; names: Names }) {
  if (!at?.version) return '?'
  const text = `v${at.version}`
  if (names[at.id] === undefined) return text
  return (
    <PolicyLink id={at.id} version={at.version}>
      {text}
    </PolicyLink>
  )
}

const Versions = ({ from, to, names }: { from: At; to: At; names: Names }): ReactNode => (
  <span className={`${css.versions} mono`}>
    <VersionOf at={from} names={names} /> → <VersionOf at={to} names={names} />
  </span>
)

function NoAgents({ state, onRegister }: { state: string | undefined; onRegister: (() => void) | undefined }) {
  if (state === 'discovered')
    return (
      <Empty action={<PageLink to="/platforms">Connected platforms</PageLink>}>
        The discovery queue is empty. Agents without a policy appear here.
      </Empty>
    )
  if (state === 'suppressed') return <Empty>No agent is suppressed.</Empty>
  return (
    <Empty action={onRegister && <Button onPress={onRegister}>Register agent</Button>}>
      Agents with a policy appear here, the most worrying first.
    </Empty>
  )
}

import { isUuid } from '@mandate/contract/fields/is-uuid'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { read } from '../../api/queries.ts'
import { AgentPicker } from '../../shell/keys/agent-picker.tsx'
import { FilterBar } from '../../ui/filters/filter-bar.tsx'
import { activeOf } from '../../ui/filters/filters.ts'
import { useApprovalName } from '../../ui/filters/use-approval-name.ts'
import { useEnvironmentFilter } from '../../ui/filters/use-environment-filter.ts'
import { useFilters } from '../../ui/filters/use-filters.ts'
import { CallsByAgent } from '../../ui/page/calls-by-agent.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { DecisionChart } from './decision-chart.tsx'
import css from './decisions.module.css'
import { chipsOf, type Filters, filtersOf, hasTimeline } from './filters.ts'
import { DecisionList } from './list.tsx'
import { ownPeriod, periodFilter, timesOf, withinOf } from './period.ts'
import { PeriodDialog } from './period-dialog.tsx'
import { DecisionsSentence } from './sentence.tsx'
import { rangeOf, type SpanName, spanOf, spans, startOf } from './spans.ts'
import { useAgentFilter } from './use-agent-filter.ts'
import type { TimelineFilters } from './use-timeline.ts'

/** What did agents do? */
export function DecisionsPage() {
  const search = useSearch({ from: '/inside/decisions' })
  const filters = filtersOf(search)
  const within = withinOf(search.within)
  const span = within ?? spanOf(search.span)
  const navigate = useNavigate()
  const go = (next: Record<string, string | undefined>) =>
    void navigate({ to: '/decisions', search: { ...search, ...next } as object })
  const { change, clear } = useFilters('/decisions', ['span'])
  const [asksPeriod, setAsksPeriod] = useState(false)
  const { from, to, approval_id: _approval, session_id: _session, ...others } = filters
  const times = useTimes(search)
  const tool = { name: 'tool', label: 'Tool, such as mcp:files/*', value: filters.tool, maxLength: 300, isWhole: true }
  const names = useNames(filters)
  const chips = [
    useAgentFilter(filters.agent_id, useAgentName(filters.agent_id, names)),
    periodFilter({ within, ...times.list }),
    ...chipsOf(filters, names, useEnvironmentFilter(filters.environment_id)),
  ]
  const active = [
    ...(filters.tool === undefined ? [] : [{ name: 'tool', words: `Tool ${filters.tool}` }]),
    ...activeOf(chips),
  ]
  const onFilter = (name: string, value: string | undefined) => {
    if (name !== 'within') return change(name, value)
    if (value === ownPeriod) return setAsksPeriod(true)
    go({ within: value, from: undefined, to: undefined })
  }
  const isCounted = hasTimeline(filters)
  const { range } = times
  // A link of the chart opens a list of what the chart counts.
  const period = range ? timesOf(range) : { within, from, to }
  const shown = { span, filters: others as TimelineFilters, range, period }
  return (
    <>
      <PageHead name="Decisions" sentence={isCounted && <DecisionsSentence {...shown} />} actions={<CallsByAgent />} />
      {isCounted ? (
        <DecisionChart
          {...shown}
          onSpan={(next: SpanName) => go(within ? { within: next } : { span: next === 'day' ? undefined : next })}
        />
      ) : (
        <NoChart filters={filters} onAgent={(id) => change('agent_id', id)} />
      )}
      <FilterBar search={tool} filters={chips} onChange={onFilter} onClear={clear} />
      <DecisionList
        filters={{ ...filters, ...times.list }}
        active={active}
        onShow={times.restart}
        onChange={onFilter}
        onClear={clear}
      />
      {asksPeriod && (
        <PeriodDialog
          from={times.list.from}
          to={times.list.to}
          onChange={(next) => go({ ...next, within: undefined })}
          onClose={() => setAsksPeriod(false)}
        />
      )}
    </>
  )
}

/**
 * The times of the list, and those of the chart if the address has two times. The list of a period that ends now starts with the first bar of the
 * chart. Its start moves with each change of the address and with `restart` only, because rows would disappear otherwise.
 */
function useTimes(search: Pick<Filters, 'from' | 'to'> & { within?: string | undefined }) {
  const [restarts, setRestarts] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `restarts` is there so that each restart takes the present time
  const times = useMemo(() => {
    const { from, to } = search
    const within = withinOf(search.within)
    const now = Date.now()
    if (within === undefined) return { list: { from, to }, range: rangeOf(from, to, now) }
    return { list: { from: new Date(startOf(spans[within], now)).toISOString(), to: undefined }, range: undefined }
  }, [search, restarts])
  return { ...times, restart: () => setRestarts(restarts + 1) }
}

/** Why there is no chart. For a pattern of tools, choosing an agent brings it back. */
function NoChart({ filters, onAgent }: { filters: Filters; onAgent: (id: string) => void }) {
  if (filters.approval_id !== undefined)
    return <p className={css.note}>The calls of one approval are not counted over time.</p>
  if (filters.session_id !== undefined)
    return <p className={css.note}>The calls of one session are not counted over time.</p>
  return (
    <div className={css.choose}>
      <p className={css.note}>
        A pattern of tools is counted over time for one agent. Choose the agent to see the chart. The list below has the
        calls of all agents.
      </p>
      <AgentPicker agent={undefined} onChange={({ id }) => onAgent(id)} />
    </div>
  )
}

/** The names of the objects in the filters, by their ids. The newest decision that matches has all of them, except that of the approval. */
function useNames(filters: Filters): Record<string, string> {
  const { data } = useQuery(
    read('listDecisions', { query: { ...(filters as object), page_size: 1, include: 'names' } }),
  )
  const [first] = data?.data ?? []
  const pairs = [first?.agent, first?.policy, first?.rule, first?.edge].flatMap((named) =>
    named?.name ? [[named.id, named.name]] : [],
  )
  return { ...data?.names, ...Object.fromEntries(pairs), ...useApprovalName(filters.approval_id) }
}

/** The name of the agent of the filter. An agent without a matching call is read by its id. */
function useAgentName(id: string | undefined, names: Readonly<Record<string, string>>): string | undefined {
  const known = id === undefined ? undefined : names[id]
  const { data } = useQuery({
    ...read('getAgent', { path: { agent_id: id ?? '' } }),
    enabled: id !== undefined && known === undefined && isUuid(id),
  })
  return known ?? data?.name
}

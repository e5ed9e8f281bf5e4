import type { ReactNode } from 'react'
import type { TimeMark } from '../../ui/charts/time-chart.tsx'
import { gather } from '../../ui/charts/time-scale.ts'
import { TimeSeries } from '../../ui/charts/time-series.tsx'
import { Segments } from '../../ui/fields/segments.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { effects } from '../../ui/page/states.ts'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import {
  endOfBar,
  nameInRange,
  nameOf,
  type Range,
  type SpanName,
  spanOptions,
  spans,
  tickOf,
  tickOfRange,
} from './spans.ts'
import { type TimelineFilters, useTimeline } from './use-timeline.ts'

/** The period of a list in the address: one that ends now, or two times. */
export interface Period {
  within?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

interface DecisionChartProps {
  span: SpanName
  onSpan: (span: SpanName) => void
  filters: TimelineFilters
  /** Shows this period instead of the span. */
  range?: Range | undefined
  /** The period that is counted, as the address has it, for the links of the legend. */
  period?: Period | undefined
  marks?: readonly TimeMark[]
  note?: ReactNode
}

const bands = [
  { key: 'allow', look: effects.allow },
  { key: 'require_approval', look: effects.require_approval, lane: 'Held, own scale' },
  { key: 'deny', look: effects.deny, lane: 'Denied, own scale' },
] as const

/** Decisions over time by effect. A bar opens the decisions that it counts. */
export function DecisionChart(props: DecisionChartProps) {
  const { span: name, onSpan, filters, range, period, marks = [], note } = props
  const { data, error, refetch } = useTimeline(name, filters, 'effect', range)
  const bars = range ?? spans[name]
  const { every } = bars
  const choice = range ? undefined : <Segments label="Span" value={name} onChange={onSpan} options={spanOptions} />
  if (!data)
    return (
      <Panel title="Decisions" more={choice}>
        {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading rows={10} />}
      </Panel>
    )
  const buckets = gather(
    data.buckets.map(({ start, counts }) => ({ start: Date.parse(start), counts })),
    every,
  )
  const search = { ...filters, span: name === 'day' ? undefined : name }
  return (
    <TimeSeries
      title="Decisions"
      bands={bands.filter(({ key }) => filters.effect === undefined || filters.effect === key)}
      buckets={buckets}
      every={every}
      endsNow={range?.to === undefined}
      tickOf={range ? tickOfRange(range) : tickOf(name)}
      nameOf={({ start }) => (range ? nameInRange(range, start) : nameOf(name, start))}
      linkOf={(effect, bucket) => ({
        to: '/decisions',
        search: {
          ...search,
          effect,
          ...(bucket
            ? {
                from: new Date(bucket.start).toISOString(),
                to: new Date(endOfBar(bars, bucket.start)).toISOString(),
              }
            : period),
        },
      })}
      marks={marks.filter(({ at }) => at >= (buckets[0]?.start ?? 0))}
      more={choice}
      note={note}
    />
  )
}

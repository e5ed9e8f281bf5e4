import type { Answer, Input } from '@mandate/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import { type Range, type SpanName, spans, startOf } from './spans.ts'

export type TimelineFilters = Omit<
  NonNullable<Input<'getDecisionTimeline'>['query']>,
  'from' | 'to' | 'bucket' | 'group_by'
>
type GroupBy = NonNullable<NonNullable<Input<'getDecisionTimeline'>['query']>['group_by']>

const againMs = 15_000

/** Counts of decisions in a span that ends now, or in the range. They are read again every 15 seconds while the end is now. */
export function useTimeline(name: SpanName, filters: TimelineFilters, groupBy: GroupBy = 'effect', range?: Range) {
  const span = spans[name]
  return useQuery<Answer<'getDecisionTimeline'> & { from: number }>({
    queryKey: ['getDecisionTimeline', range ?? name, filters, groupBy],
    queryFn: async ({ signal }) => {
      const from = range?.from ?? startOf(span, Date.now())
      const times = {
        from: new Date(from).toISOString(),
        ...(range?.to !== undefined && { to: new Date(range.to).toISOString() }),
      }
      const query = { ...filters, ...times, bucket: (range ?? span).bucket, group_by: groupBy }
      return { ...(await client.call('getDecisionTimeline', { query, signal })), from }
    },
    placeholderData: keepPreviousData,
    refetchInterval: range?.to === undefined ? againMs : false,
  })
}

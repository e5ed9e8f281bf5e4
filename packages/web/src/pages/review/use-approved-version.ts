import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { approvedBy, isFavourable } from './judged.ts'

type Review = Schema<'Review'>

const aroundMs = 60_000

/** The version that the resolved review approved. The history of the agent has it. Undefined while it is read, null if the review approved no version. */
export function useApprovedVersion(review: Review) {
  const at = Date.parse(review.resolved_at ?? review.opened_at)
  const { data, error, refetch } = useQuery({
    ...read('getAgentTimeline', {
      path: { agent_id: review.agent_id },
      query: {
        type: ['approval'],
        from: new Date(at - aroundMs).toISOString(),
        to: new Date(at + aroundMs).toISOString(),
        limit: 200,
      },
    }),
    enabled: isFavourable(review),
  })
  return { approved: data && approvedBy(review.id, data.data), error, refetch }
}

import type { OperationId } from '@mandate/sdk'

/** The reads that a change of an agent changes. */
export const changedWithAgent: readonly OperationId[] = [
  'getAgent',
  'listAgents',
  'getAgentFacets',
  'getAgentTimeline',
  'listReviews',
  'getOverview',
]

/**
 * What an edge may be too old for. An edge that does not know one of these decides as if nobody used it, so each edge says in its heartbeats what
 * it knows. Add a word here if an edge of an earlier version would let a call pass that the new feature stops.
 */
export const edgeFeatures = ['content', 'delegations', 'limits', 'pins', 'sessions'] as const
export type EdgeFeature = (typeof edgeFeatures)[number]

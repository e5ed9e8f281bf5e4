import type { Sql } from '../../db/database.ts'
import type { EdgeStream } from './edge-stream.ts'
import { findAgentKeys, findLiveEdges } from './queries.ts'

/** Returns the streams whose keys are still valid. */
export async function checkKeys(db: Sql, streams: readonly EdgeStream[]): Promise<Set<EdgeStream>> {
  const idsOf = (kind: 'edge' | 'agent') => [
    ...new Set(streams.filter(({ actor }) => actor.kind === kind).map(({ actor }) => actor.credentialId)),
  ]
  const [edges, agentKeys] = await Promise.all([findLiveEdges(db, idsOf('edge')), findAgentKeys(db, idsOf('agent'))])
  return new Set(
    streams.filter(({ actor, keyDigest }) =>
      actor.kind === 'edge'
        ? edges.has(actor.credentialId)
        : agentKeys.get(actor.credentialId)?.equals(keyDigest) === true,
    ),
  )
}

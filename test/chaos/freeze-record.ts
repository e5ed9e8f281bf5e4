import type { Json } from '../acceptance/edge/middle.ts'
import type { Call, FleetEdge } from './edge-fleet.ts'

/** A freeze, and what the control plane says about its edges. */
export interface FreezeRecord {
  id: string
  scope: string
  /** The agents that it covers. */
  agentIds: ReadonlySet<string>
  /** The credentials whose instances have to confirm. */
  credentialIds: ReadonlySet<string>
  createdAt: number
  /** The last rows of `GET /freezes/{id}/edges`. */
  edges: Json[]
  /** When the request to lift was sent. */
  liftAt: number
}

/** Which agents a freeze covers, and which credentials have to confirm it. An edge may serve any agent of its environment. */
export function scopeOf(
  { agent_id, environment_id }: { scope: string; agent_id?: string; environment_id?: string },
  edges: readonly FleetEdge[],
) {
  const home = edges.find(({ agentIds }) => agent_id !== undefined && agentIds.includes(agent_id))
  const place = environment_id ?? home?.environmentId
  const isOwnKey = ({ agentIds, credentialId }: FleetEdge) => agentIds.includes(credentialId)
  const inPlace = edges.filter(({ environmentId }) => place === undefined || environmentId === place)
  const confirming = inPlace.filter((edge) => home === undefined || edge === home || !isOwnKey(edge))
  const covered = inPlace.flatMap(({ agentIds }) => agentIds.filter((id) => agent_id === undefined || id === agent_id))
  return {
    agentIds: new Set(covered),
    credentialIds: new Set(confirming.map(({ credentialId }) => credentialId)),
  }
}

/** Returns the calls of frozen agents that began after their edge had confirmed the freeze, and that were allowed before its end. */
export function allowedAfter(
  one: FreezeRecord,
  edges: readonly FleetEdge[],
): (Call & { edge: string; confirmedAt: number })[] {
  return edges.flatMap((edge) => {
    const row = one.edges.find(
      ({ state, edge: by, agent }) => state === 'confirmed' && (by ?? agent).id === edge.credentialId,
    )
    if (row === undefined) return []
    const confirmedAt = one.createdAt + row.after_ms
    const isWrong = ({ agentId, verdict, beganAt, endedAt }: Call) =>
      verdict === 'allow' && one.agentIds.has(agentId) && beganAt > confirmedAt && endedAt < one.liftAt
    return edge.calls.filter(isWrong).map((call) => ({ ...call, edge: edge.name, confirmedAt }))
  })
}

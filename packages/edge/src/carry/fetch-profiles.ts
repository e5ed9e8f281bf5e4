import { mostProfiles } from '@mandate/contract/edge-push'
import { z } from 'zod'
import { type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'

/** What the control plane answered about agents. Agents in neither field are not served by the key. */
export interface FetchedProfiles {
  /** Profiles in their signed form, by agent. They are not verified yet. */
  documents: Map<string, unknown>
  /** Agents whose profile is one of the known ones. */
  unchanged: Set<string>
}

/** The profiles themselves are verified later, one by one. */
const Answer = z.object({
  data: z.array(z.looseObject({ agent_id: z.string() })),
  unchanged: z.array(z.string()),
  remaining: z.array(z.string()),
})

interface Wanted {
  /** Agents, each with the hash of the profile that the edge has; undefined if it has none. */
  agents: readonly { agentId: string; hash: string | undefined }[]
  /** Set if the stream of this instance must tell changes of the agents. */
  instanceId?: string | undefined
}

/** Fetches the profiles of many agents. @throws the errors of `ControlPlane` */
export async function fetchProfiles(
  plane: ControlPlane,
  { agents, instanceId }: Wanted,
  signal?: AbortSignal,
): Promise<FetchedProfiles> {
  const fetched: FetchedProfiles = { documents: new Map(), unchanged: new Set() }
  for (let first = 0; first < agents.length; first += mostProfiles) {
    const some = agents.slice(first, first + mostProfiles)
    const known = some.flatMap(({ hash }) => hash ?? [])
    let ids = some.map(({ agentId }) => agentId)
    while (ids.length > 0) {
      const body = { agent_ids: ids, known_hashes: known, ...(instanceId !== undefined && { instance_id: instanceId }) }
      const { data } = Answer.safeParse(
        (await plane.ask({ method: 'POST', path: '/edge/profiles', body, signal })).body,
      )
      if (!data || data.remaining.length >= ids.length)
        throw new ControlPlaneAway('invalid response to POST /edge/profiles')
      for (const document of data.data) fetched.documents.set(document.agent_id, document)
      for (const agentId of data.unchanged) fetched.unchanged.add(agentId)
      ids = data.remaining
    }
  }
  return fetched
}

import { mostProfiles } from '@mandate/contract/edge-push'
import { z } from 'zod'
import { type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'

/** One answer about some of the agents. Agents in neither `documents` nor `unchanged` are not served by the key. */
export interface ProfilesPage {
  /** The agents that this answer is about. */
  agentIds: readonly string[]
  /** Profiles in their signed form, by agent. They are not verified yet. */
  documents: ReadonlyMap<string, unknown>
  /** Agents whose profile is one of the known ones. */
  unchanged: ReadonlySet<string>
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

/**
 * Fetches the profiles of many agents. Yields each answer before the next request, so that only one answer is in memory.
 * @throws the errors of `ControlPlane`; `ControlPlaneAway` also for an invalid answer
 */
export async function* fetchProfiles(
  plane: ControlPlane,
  { agents, instanceId }: Wanted,
  signal?: AbortSignal,
): AsyncGenerator<ProfilesPage> {
  for (let first = 0; first < agents.length; first += mostProfiles) {
    const some = agents.slice(first, first + mostProfiles)
    const known = some.flatMap(({ hash }) => hash ?? [])
    let ids = some.map(({ agentId }) => agentId)
    while (ids.length > 0) {
      const body = { agent_ids: ids, known_hashes: known, ...(instanceId !== undefined && { instance_id: instanceId }) }
      const asked = { method: 'POST', path: '/edge/profiles', body, signal } as const
      const { data } = Answer.safeParse((await plane.ask(asked)).body)
      const remaining = new Set(data?.remaining)
      const left = ids.filter((agentId) => remaining.has(agentId))
      if (!data || left.length === ids.length) throw new ControlPlaneAway('invalid response to POST /edge/profiles')
      yield {
        agentIds: ids.filter((agentId) => !remaining.has(agentId)),
        documents: new Map(data.data.map((document) => [document.agent_id, document])),
        unchanged: new Set(data.unchanged),
      }
      ids = left
    }
  }
}

import type { CurrentProfile } from '../edge/profiles/current-profiles.ts'
import type { Affected } from './edge-events.ts'
import type { EdgeStream } from './edge-stream.ts'

interface Carried {
  streams: Set<EdgeStream>
  /** As last read. Null before, and while they are read again. */
  policyId: string | null
  environmentId: string | null
}

/** The agents of one tenant that the open streams of this instance carry, and those whose profiles must be compared. */
export class CarriedAgents {
  private readonly agents = new Map<string, Carried>()
  /** Agents that were changed by themselves. They come before the others, because a person waits for them. */
  private readonly changed = new Set<string>()
  /** Agents that a change of many affected: a saved policy, an environment, the organization. */
  private readonly affected = new Set<string>()

  get hasChanges(): boolean {
    return this.changed.size > 0 || this.affected.size > 0
  }

  /** Adds an agent to a stream. `hash` is that of the profile which the edge was told last; null if it is not known. */
  add(stream: EdgeStream, agentId: string, hash: string | null): void {
    if (!stream.isOpen || (!stream.agents.has(agentId) && !stream.hasRoom)) return
    stream.agents.set(agentId, hash)
    const carried = this.agents.get(agentId) ?? { streams: new Set(), policyId: null, environmentId: null }
    carried.streams.add(stream)
    this.agents.set(agentId, carried)
    this.affected.add(agentId)
  }

  remove(stream: EdgeStream): void {
    for (const agentId of stream.agents.keys()) {
      const carried = this.agents.get(agentId)
      carried?.streams.delete(stream)
      if (carried?.streams.size === 0) this.forget(agentId)
    }
    stream.agents.clear()
  }

  streamsOf(agentId: string): Iterable<EdgeStream> {
    return this.agents.get(agentId)?.streams ?? []
  }

  /**
   * Marks the agents that a change affects. An agent whose policy or environment was not read yet is marked too. The others are found by what
   * was last read: an assignment of another policy has an event of its own, which marks the agent.
   */
  mark(what: Affected): void {
    if (what !== 'all' && 'agentId' in what) {
      if (this.agents.has(what.agentId)) this.changed.add(what.agentId)
      return
    }
    for (const [agentId, carried] of this.agents) if (isAffected(carried, what)) this.affected.add(agentId)
  }

  /** Takes some of the marked agents, at most `limit`. */
  take(limit: number): string[] {
    const taken: string[] = []
    for (const marked of [this.changed, this.affected]) {
      for (const agentId of marked) {
        if (taken.length === limit) return taken
        marked.delete(agentId)
        this.forgetRead(agentId)
        taken.push(agentId)
      }
    }
    return taken
  }

  /** Marks agents again, because they could not be read. */
  putBack(agentIds: readonly string[]): void {
    for (const agentId of agentIds) if (this.agents.has(agentId)) this.changed.add(agentId)
  }

  /** Remembers what was read of an agent. */
  note({ agentId, state }: CurrentProfile): void {
    const carried = this.agents.get(agentId)
    if (!carried) return
    carried.policyId = state.policy_id
    carried.environmentId = state.environment_id
  }

  /** The environment of an agent as last read. Null if it is not known. */
  environmentOf(agentId: string): string | null {
    return this.agents.get(agentId)?.environmentId ?? null
  }

  /** A change during a read may come too late for it. While nothing is known of an agent, each change marks it. */
  private forgetRead(agentId: string): void {
    const carried = this.agents.get(agentId)
    if (!carried) return
    carried.policyId = null
    carried.environmentId = null
  }

  private forget(agentId: string): void {
    this.agents.delete(agentId)
    this.changed.delete(agentId)
    this.affected.delete(agentId)
  }
}

function isAffected({ policyId, environmentId }: Carried, what: Exclude<Affected, { agentId: string }>): boolean {
  if (what === 'all') return true
  return 'policyId' in what
    ? policyId === null || policyId === what.policyId
    : environmentId === null || environmentId === what.environmentId
}

/**
 * Divides the spool between the agents of an edge. Half of the spool is reserved for the agents in equal shares, so that an
 * agent that never stops calling cannot use up the share of another agent. Sizes are in bytes.
 */
export class SpoolRoom {
  private readonly maxBytes: number
  private readonly share: number
  private readonly agentIds: ReadonlySet<string>
  private readonly taken = new Map<string, number>()
  private total = 0
  /** The bytes that agents have not used yet of their reserved shares, summed over all agents. */
  private setAside: number

  constructor(maxBytes: number, agentIds: readonly string[]) {
    this.maxBytes = maxBytes
    this.agentIds = new Set(agentIds)
    this.share = Math.floor(maxBytes / 2 / Math.max(this.agentIds.size, 1))
    this.setAside = this.share * this.agentIds.size
  }

  /** Whether an agent may use this many more bytes. They may come from its own share, or from the room that no other agent has reserved. */
  has(agentId: string, bytes: number): boolean {
    // After a restart with other agents, agents that are not served any more may have filled the spool.
    if (bytes <= this.setAsideFor(agentId) && this.total + bytes <= 1.5 * this.maxBytes) return true
    const forOthers = this.setAside - this.setAsideFor(agentId)
    return this.total + bytes + forOthers <= this.maxBytes
  }

  /** Adds to the number of bytes that an agent uses. A negative number releases bytes. */
  take(agentId: string, bytes: number): void {
    const before = this.setAsideFor(agentId)
    const taken = (this.taken.get(agentId) ?? 0) + bytes
    if (taken > 0) this.taken.set(agentId, taken)
    else this.taken.delete(agentId)
    this.total += bytes
    this.setAside += this.setAsideFor(agentId) - before
  }

  private setAsideFor(agentId: string): number {
    return this.agentIds.has(agentId) ? Math.max(0, this.share - (this.taken.get(agentId) ?? 0)) : 0
  }
}

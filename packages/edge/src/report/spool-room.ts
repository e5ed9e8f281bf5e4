/**
 * How the agents of an edge share its spool: half of it is set aside for them in equal parts, so that one that calls without
 * end takes no other's. Sizes are in bytes.
 */
export class SpoolRoom {
  private readonly maxBytes: number
  private readonly share: number
  private readonly agentIds: ReadonlySet<string>
  private readonly taken = new Map<string, number>()
  private total = 0
  /** What of all the shares is not taken yet. */
  private setAside: number

  constructor(maxBytes: number, agentIds: readonly string[]) {
    this.maxBytes = maxBytes
    this.agentIds = new Set(agentIds)
    this.share = Math.floor(maxBytes / 2 / Math.max(this.agentIds.size, 1))
    this.setAside = this.share * this.agentIds.size
  }

  /** Whether an agent may take so much more without taking what is set aside for others. */
  has(agentId: string, bytes: number): boolean {
    const forOthers = this.setAside - this.setAsideFor(agentId)
    return this.total + bytes + forOthers <= this.maxBytes
  }

  /** Counts what an agent takes, or with less than nothing, gives back. */
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

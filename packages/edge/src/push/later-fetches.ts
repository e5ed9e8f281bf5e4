/** A range of times in milliseconds. */
export interface Spread {
  fromMs: number
  toMs: number
}

/** Agents whose profiles are fetched at a random time, so that the edges of an organization do not all fetch at once. */
export class LaterFetches {
  private readonly dueAt = new Map<string, number>()
  private readonly onDue: (agentIds: readonly string[]) => void
  private timer: NodeJS.Timeout | undefined

  /** `onDue` is called with the agents whose time has come. */
  constructor(onDue: (agentIds: readonly string[]) => void) {
    this.onDue = onDue
  }

  /** Adds agents, all with the same random time. An agent that waits already keeps its time if that is earlier. */
  add(agentIds: readonly string[], { fromMs, toMs }: Spread): void {
    const at = performance.now() + fromMs + (toMs - fromMs) * Math.random()
    for (const agentId of agentIds) this.dueAt.set(agentId, Math.min(at, this.dueAt.get(agentId) ?? at))
    this.wait()
  }

  has(agentId: string): boolean {
    return this.dueAt.has(agentId)
  }

  close(): void {
    this.dueAt.clear()
    clearTimeout(this.timer)
  }

  private wait(): void {
    clearTimeout(this.timer)
    const next = Math.min(...this.dueAt.values())
    if (Number.isFinite(next))
      this.timer = setTimeout(() => this.tell(), Math.max(0, Math.ceil(next - performance.now())))
  }

  private tell(): void {
    const now = performance.now()
    const due = [...this.dueAt].flatMap(([agentId, at]) => (at <= now ? [agentId] : []))
    for (const agentId of due) this.dueAt.delete(agentId)
    if (due.length > 0) this.onDue(due)
    this.wait()
  }
}

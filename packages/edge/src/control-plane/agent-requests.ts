/**
 * Requests that an agent may cause in a minute. They and the heartbeats count towards one limit of the key, so an agent that repeats a call must
 * not use up the requests of the edge.
 */
const mostPerMinute = 1000
const minuteMs = 60_000

/** Thrown if an agent caused too many requests to the control plane within a minute. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'

  constructor() {
    super(`the agent caused more than ${mostPerMinute} requests to the control plane within a minute`)
  }
}

/** Counts the requests to the control plane that calls of agents cause: for approvals and for delegations. */
export class AgentRequests {
  /** By agent id: when the current minute began, and the requests since then. */
  private readonly recent = new Map<string, { sinceMs: number; requests: number }>()
  private readonly now: () => number

  /** @param now a clock in milliseconds that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** Call before each request. @throws TooManyRequests */
  count(agentId: string): void {
    const nowMs = this.now()
    const found = this.recent.get(agentId)
    const recent = found && nowMs - found.sinceMs < minuteMs ? found : { sinceMs: nowMs, requests: 0 }
    this.recent.set(agentId, recent)
    if (recent.requests >= mostPerMinute) throw new TooManyRequests()
    recent.requests++
  }
}

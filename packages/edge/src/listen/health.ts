import type { ClosedCode, Closing } from '../carry/agent-standing.ts'

/** The state of an agent at this edge. */
export interface AgentHealth {
  readonly agentId: string
  readonly closing: Closing | null
}

const words: Record<ClosedCode, string> = {
  key_refused: "the control plane refuses this edge's key",
  not_served: 'the control plane does not serve this agent to this edge',
  no_profile: 'no policy was received yet',
  not_confirmed: 'the policy was not confirmed in time',
  may_not_act: 'the agent may not act now, or has no policy',
  policy_denies_all: 'the policy denies every call',
}

/**
 * The body of `GET /healthz`. `closed`: the edge denies everything for all agents. `partly_closed`: for some of them.
 * Every program on this machine may read it, so it contains no text of the control plane and no error text.
 */
export function healthOf(agents: readonly AgentHealth[]) {
  const closed = agents.filter(({ closing }) => closing !== null).length
  return {
    status: closed === 0 ? 'ok' : closed < agents.length ? 'partly_closed' : 'closed',
    agents: agents.map(({ agentId: agent_id, closing }) => {
      if (closing === null) return { agent_id, closed: false }
      return { agent_id, closed: true, code: closing.code, reason: words[closing.code] }
    }),
  }
}

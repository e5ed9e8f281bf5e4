import type { ClosedCode, Closing } from '../carry/agent-standing.ts'

/** The state of an agent at this edge. */
export interface AgentHealth {
  readonly agentId: string
  readonly closing: Closing | null
}

const words: Record<ClosedCode, string> = {
  key_refused: "the control plane refuses this edge's key: give the edge a valid key",
  not_served: "the control plane does not let this edge's key act for this agent: check the agent's id and environment",
  no_profile: 'no policy was received yet',
  not_confirmed: 'the policy was not confirmed in time',
  may_not_act: 'the agent may not act now, or has no policy',
  policy_denies_all: 'the policy denies every call',
}

/**
 * The body of `GET /healthz`. `closed`: the edge denies every call of all agents. `partly_closed`: it denies every call of
 * some agents. Every program on this machine may read the body. So the body contains no text from the control plane and no
 * error texts.
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

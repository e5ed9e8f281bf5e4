import { v7 } from 'uuid'

/** Returns a valid decision record of an edge, with a new id and the current time. */
export function newDecision(agentId: string, rest: object = {}) {
  return {
    decision_id: v7(),
    agent_id: agentId,
    tool: 'mcp:files/read',
    effect: 'allow',
    mode: 'enforce',
    policy_version: null,
    args_digest: 'd',
    at: new Date().toISOString(),
    ...rest,
  }
}

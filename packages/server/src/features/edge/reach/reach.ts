/**
 * The agents for which a credential is valid (see `servedBy`). If it is valid for one agent, only `agentId` is set. If it is
 * valid for all agents of an environment, only `environmentId` is set. The field that is not set is null.
 */
export interface Reach {
  agentId: string | null
  environmentId: string | null
}

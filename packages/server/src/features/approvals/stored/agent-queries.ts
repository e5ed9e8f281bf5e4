import { frozenSql } from '../../../agent-state/frozen.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** The columns that decide whether an agent may request approvals and who may resolve them. */
export interface AskingAgent {
  id: string
  name: string
  environment_id: string | null
  owner_user_id: string | null
  policy_id: string | null
  is_production: boolean
  status: 'registered' | 'active' | 'suspended' | 'archived'
  lifecycle_status: 'proposed' | 'approved' | 'blocked' | 'retired'
  gate: 'off' | 'alert' | 'enforce'
  /** True while an active freeze covers the agent. */
  frozen: boolean
}

const askingAgent = `
  select a.id, a.name, a.environment_id, a.owner_user_id, a.policy_id, coalesce(e.is_production, false) as is_production,
    a.status, a.lifecycle_status, g.governance_gate as gate, ${frozenSql({ agent: 'a', tenantId: '$1' })} as frozen
  from agents a join tenants g on g.id = $1
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  where a.tenant_id = $1 and a.id = $2`

export function findAskingAgent(db: Sql, agentId: string): Promise<AskingAgent> {
  return db.one(raw<AskingAgent>(askingAgent, [db.tenantId, agentId]))
}

/**
 * Like `findAskingAgent`, with an exclusive lock on the agent's row. So an agent's requests run one at a time, and no request
 * runs while the agent is being stopped.
 */
export function lockAskingAgent(tx: Tx, agentId: string): Promise<AskingAgent | undefined> {
  return tx.maybe(raw<AskingAgent>(`${askingAgent} for no key update of a`, [tx.tenantId, agentId]))
}

/** Makes changes of the agent's environment wait until this transaction ends. Waits for a change that is in progress. */
export async function holdOffEnvironmentChange(tx: Tx, agentId: string): Promise<void> {
  const text = `select e.id from agents a join environments e on e.tenant_id = $1 and e.id = a.environment_id
    where a.tenant_id = $1 and a.id = $2 for key share of e`
  await tx.all(raw(text, [tx.tenantId, agentId]))
}

/**
 * Like `findAskingAgent`, with a shared lock. Until the transaction ends, other transactions cannot stop the agent or assign
 * another policy to it.
 */
export function lockAskingAgentForShare(tx: Tx, agentId: string): Promise<AskingAgent | undefined> {
  return tx.maybe(raw<AskingAgent>(`${askingAgent} for share of a`, [tx.tenantId, agentId]))
}

/**
 * Returns the current version of a policy. A shared lock prevents other transactions from saving the policy until this
 * transaction ends.
 */
export function lockPolicyInForceForShare(tx: Tx, policyId: string) {
  const text = 'select version, content_hash as hash from policies where tenant_id = $1 and id = $2 for share'
  return tx.one(raw<{ version: number; hash: string }>(text, [tx.tenantId, policyId]))
}

export async function countPending(tx: Tx, agentId: string, now: string): Promise<number> {
  const text = `select count(*) as pending from approvals
    where tenant_id = $1 and agent_id = $2 and status = 'pending' and expires_at > $3`
  return (await tx.one(raw<{ pending: number }>(text, [tx.tenantId, agentId, now]))).pending
}

import type { AgentCreate } from '@mandate/contract/agents'
import type { Tx } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'

export interface NewAgent extends AgentCreate {
  id: string
  environment_id: string
  lifecycle_status: 'proposed' | 'approved'
  key_hash: Buffer
  now: string
}

const insertAgentText = `
  with made as (
    insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id,
      policy_id, framework, model, tools, metadata, owner_user_id, key_hash, created_at, updated_at)
    values ($1, $2, $3, $4, 'registered', 'runtime', case when $5::uuid is null then 'discovered' else 'governed' end, $6, $7,
      $5, $8, $9, $10, $11, $12, $13, $14, $14)
    returning wire_fields
  ), known as (
    insert into credential_lookup (hash, kind, tenant_id, id) values ($13, 'agent', $1, $2)
  )
  select wire_fields from made`

/**
 * Inserts a runtime agent that sent no heartbeat yet, and the look-up row of its key. Returns the part of its JSON that is stored
 * in its row.
 */
export async function insertAgent(tx: Tx, agent: NewAgent): Promise<string> {
  const values = [
    tx.tenantId,
    agent.id,
    agent.name,
    agent.description ?? '',
    agent.policy_id ?? null,
    agent.lifecycle_status,
    agent.environment_id,
    agent.framework ?? '',
    agent.model ?? '',
    agent.tools ?? [],
    JSON.stringify(agent.metadata ?? {}),
    agent.owner_user_id ?? null,
    agent.key_hash,
    agent.now,
  ]
  return (await tx.one(raw<{ wire_fields: string }>(insertAgentText, values))).wire_fields
}

import type { AgentCreate } from '@mandate/contract/agents'
import { frozenSql } from '../../../agent-state/frozen.ts'
import type { Tx } from '../../../db/database.ts'
import { namedSql, namedStatement } from '../../../db/statements/named-parameters.ts'
import type { DB } from '../../../db/statements/types.generated.ts'

export interface NewAgent extends AgentCreate {
  id: string
  environment_id: string
  lifecycle_status: 'proposed' | 'approved'
  key_hash: Buffer
  now: string
}

/** The SQL value of each column for a new agent. A new agent has not sent a heartbeat. */
const columns = {
  tenant_id: ':tenantId',
  id: ':id',
  name: ':name',
  description: ':description',
  status: `'registered'`,
  source: `'runtime'`,
  governance_state: `case when :policy_id::uuid is null then 'discovered' else 'governed' end`,
  lifecycle_status: ':lifecycle_status',
  environment_id: ':environment_id',
  policy_id: ':policy_id',
  framework: ':framework',
  model: ':model',
  tools: ':tools',
  metadata: ':metadata',
  owner_user_id: ':owner_user_id',
  key_hash: ':key_hash',
  created_at: ':now',
  updated_at: ':now',
} satisfies Record<keyof AgentCreate, string> & Partial<Record<keyof DB['agents'], string>>

/** Returns the values of the SQL parameters in `columns`. A field that the request does not contain gets a default value. */
const valuesOf = (agent: NewAgent) =>
  ({
    ...agent,
    description: agent.description ?? '',
    policy_id: agent.policy_id ?? null,
    framework: agent.framework ?? '',
    model: agent.model ?? '',
    tools: agent.tools ?? [],
    metadata: JSON.stringify(agent.metadata ?? {}),
    owner_user_id: agent.owner_user_id ?? null,
  }) satisfies { [Field in keyof Required<NewAgent>]: NonNullable<unknown> | null }

interface InsertedRow {
  /** The generated column, which contains a part of the agent's JSON. */
  wire_fields: string
  frozen: boolean
}

const insertStatement = namedStatement(
  namedSql<InsertedRow>(`
    with inserted as (
      insert into agents (${Object.keys(columns)}) values (${Object.values(columns)}) returning wire_fields, tenant_id, id, environment_id
    ), looked_up as (
      insert into credential_lookup (hash, kind, tenant_id, id) values (:key_hash, 'agent', :tenantId, :id)
    )
    select a.wire_fields, ${frozenSql({ agent: 'a', tenantId: ':tenantId' })} as frozen from inserted a`),
)

/**
 * Inserts an agent, and the row of `credential_lookup` that finds the agent by the hash of its key. Returns what
 * the database computes of the new row.
 */
export function insertAgent(tx: Tx, agent: NewAgent): Promise<InsertedRow> {
  return tx.one(insertStatement({ ...valuesOf(agent), tenantId: tx.tenantId }))
}

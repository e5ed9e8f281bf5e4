import type { Snapshot } from '@mandate/policy/types'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { CallFacts } from './decide-again.ts'

export function findSnapshot(
  db: Sql,
  policyId: string,
  version: number,
): Promise<{ snapshot: Snapshot; contentHash: string } | undefined> {
  const text = `select snapshot, content_hash as "contentHash" from policy_versions
    where tenant_id = $1 and policy_id = $2 and version = $3`
  return db.maybe(raw<{ snapshot: Snapshot; contentHash: string }>(text, [db.tenantId, policyId, version]))
}

interface FactsRow {
  id: string
  name: string
  status: string
  environment_id: string | null
  environment_name: string
  environment_slug: string
}

/** The fields of an agent and of its environment that conditions can test. They are empty for an agent that does not exist any more. */
export async function findCallFacts(db: Sql, agentId: string): Promise<Pick<CallFacts, 'agent' | 'environment'>> {
  const text = `
    select a.id, a.name, a.status, e.id as environment_id, e.name as environment_name, e.slug as environment_slug
    from agents a left join environments e on e.tenant_id = $1 and e.id = a.environment_id
    where a.tenant_id = $1 and a.id = $2`
  const row = await db.maybe(raw<FactsRow>(text, [db.tenantId, agentId]))
  if (!row) return { agent: {}, environment: {} }
  const { id, name, status, environment_id, environment_name, environment_slug } = row
  const environment =
    environment_id === null ? {} : { id: environment_id, name: environment_name, slug: environment_slug }
  return { agent: { id, name, status }, environment }
}

/** Returns the arguments that people saw with an approval of an agent. Returns null if the approval does not exist or has no arguments. */
export async function findApprovalArguments(
  db: Sql,
  approvalId: string,
  agentId: string,
): Promise<Record<string, unknown> | null> {
  const text = 'select arguments from approvals where tenant_id = $1 and id = $2 and agent_id = $3'
  const row = await db.maybe(
    raw<{ arguments: Record<string, unknown> | null }>(text, [db.tenantId, approvalId, agentId]),
  )
  return row?.arguments ?? null
}

import type { Finding, FindingType } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import { agentVisibleTo } from '../../../authz/visibility.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { findingColumns } from '../queries.ts'
import type { FoundAgent } from '../record-finding.ts'
import type { CaseEvidence } from './case-items.ts'

/** A finding, and the name and environment of its agent. */
export interface FindingOfAgent extends Finding {
  name: string
  environment_id: string | null
}

/** Returns a finding on an agent that the actor sees. */
export async function findFinding(db: Sql, actor: Member, id: string): Promise<FindingOfAgent | undefined> {
  const found = sql
    .selectFrom('findings as f')
    .innerJoin('agents as a', (join) => join.onRef('a.tenant_id', '=', 'f.tenant_id').onRef('a.id', '=', 'f.agent_id'))
    .select(findingColumns.map((column) => `f.${column}` as const))
    .select(['a.name', 'a.environment_id'])
    .where('f.tenant_id', '=', db.tenantId)
    .where('a.tenant_id', '=', db.tenantId)
    .where('f.id', '=', id)
    .where(agentVisibleTo(actor, 'a'))
  return (await db.maybe(found)) as FindingOfAgent | undefined
}

/** An agent and its open finding of one type. `finding_id` is null if the agent has no such finding. */
export type AgentCases = FoundAgent & { is_production: boolean; evidence: CaseEvidence } & (
    | { finding_id: string; opened_at: string }
    | { finding_id: null; opened_at: null }
  )

/** Returns an agent and its open finding of a type. The agent's row must be locked. */
export function findCases(tx: Tx, agentId: string, type: FindingType): Promise<AgentCases | undefined> {
  const text = `select a.id as agent_id, a.name, a.environment_id, coalesce(e.is_production, false) as is_production,
      f.id as finding_id, f.opened_at, coalesce(f.evidence, '{}') as evidence
    from agents a
    left join environments e on e.tenant_id = $1 and e.id = a.environment_id
    left join findings f on f.tenant_id = $1 and f.agent_id = a.id and f.type = $3 and f.status = 'open'
    where a.tenant_id = $1 and a.id = $2`
  return tx.maybe(raw<AgentCases>(text, [tx.tenantId, agentId, type]))
}

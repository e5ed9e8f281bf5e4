import type { Finding, FindingType } from '@mandate/contract/agents'
import type { FindingFilters } from '@mandate/contract/reviews'
import type { RawBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { findRecordsInSight } from '../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { environmentOfAgent, partOf, type RecordList } from '../../db/record-list.ts'
import { raw, sql } from '../../db/statement.ts'

const columns = [
  'id',
  'agent_id',
  'type',
  'severity',
  'status',
  'evidence',
  'remediation',
  'opened_at',
  'closed_at',
] as const

/** Returns one page of the findings on agents that the actor sees, newest first. `total` counts up to 10,000. */
export async function findFindings(db: Sql, actor: Member, filters: FindingFilters) {
  const { agent_id, type, status, limit, offset } = filters
  const list: RecordList = {
    table: 'findings',
    agentId: agent_id,
    newest: ['id'],
    parts: [partOf({ agent_id, status, type })],
    limit,
    offset,
  }
  const { ids, total } = await findRecordsInSight(db, actor, list)
  const [data, counted] = await Promise.all([findByIds(db, ids), total])
  return { data, total: counted }
}

async function findByIds(db: Sql, ids: RawBuilder<string[]>): Promise<Finding[]> {
  const found = sql.selectFrom('findings').select(columns).where('tenant_id', '=', db.tenantId)
  return (await db.all(found.where(({ eb, fn }) => eb('id', '=', fn.any(ids))).orderBy('id', 'desc'))) as Finding[]
}

/** Locks the agents in the order of their ids. All transactions use this order, so they cannot deadlock. */
export async function lockAgents(tx: Tx, agentIds: readonly string[]): Promise<void> {
  const text = 'select id from agents where tenant_id = $1 and id = any($2) order by id for no key update'
  await tx.all(raw(text, [tx.tenantId, agentIds]))
}

export interface NewFinding {
  id: string
  agentId: string
  type: FindingType
  severity: string
  evidence: object
  remediation: string
  now: string
}

export async function insertFinding(tx: Tx, finding: NewFinding): Promise<void> {
  const text = `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation,
      opened_at)
    values ($1, $2, $3, ${environmentOfAgent}, $4, $5, 'open', $6, $7, $8)`
  const { id, agentId, type, severity, evidence, remediation, now } = finding
  await tx.all(raw(text, [tx.tenantId, id, agentId, type, severity, JSON.stringify(evidence), remediation, now]))
}

export async function storeEvidence(tx: Tx, id: string, evidence: object): Promise<void> {
  const text = 'update findings set evidence = $3 where tenant_id = $1 and id = $2'
  await tx.all(raw(text, [tx.tenantId, id, JSON.stringify(evidence)]))
}

export async function storeClosed(tx: Tx, id: string, now: string): Promise<void> {
  const text = `update findings set status = 'closed', closed_at = $3 where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, now]))
}

/** Closes the agent's open findings of these types and returns them. */
export function storeClosedOf(tx: Tx, agentId: string, types: readonly FindingType[], now: string) {
  const text = `update findings set status = 'closed', closed_at = $4
    where tenant_id = $1 and agent_id = $2 and type = any($3) and status = 'open' returning id, type, evidence`
  return tx.all(raw<{ id: string; type: FindingType; evidence: object }>(text, [tx.tenantId, agentId, types, now]))
}

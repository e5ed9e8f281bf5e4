import type { Finding } from '@mandate/contract/agents'
import type { FindingFilters } from '@mandate/contract/reviews'
import type { SelectQueryBuilder } from 'kysely'
import type { Member } from '../../authz/actor.ts'
import { agentVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statement.ts'
import type { DB } from '../../db/types.generated.ts'
import { driftSql } from '../agents/drift.ts'
import { findingMovedSql, openDriftFinding } from './drift-sql.ts'

const columns = [
  'findings.id',
  'findings.agent_id',
  'findings.type',
  'findings.severity',
  'findings.status',
  'findings.evidence',
  'findings.remediation',
  'findings.opened_at',
  'findings.closed_at',
] as const

/** One page of the findings on agents that the actor sees, newest first. */
export async function findFindings(db: Sql, actor: Member, filters: FindingFilters) {
  const { agent_id, type, status, limit, offset } = filters
  const visible = sql
    .selectFrom('findings')
    .innerJoin('agents', (join) =>
      join.onRef('agents.tenant_id', '=', 'findings.tenant_id').onRef('agents.id', '=', 'findings.agent_id'),
    )
    .where('findings.tenant_id', '=', db.tenantId)
    .where(agentVisibleTo(actor))
  const among = <Row>(query: SelectQueryBuilder<DB, 'findings' | 'agents', Row>) => {
    let some = query
    if (agent_id !== undefined) some = some.where('findings.agent_id', '=', agent_id)
    if (type !== undefined) some = some.where('findings.type', '=', type)
    if (status !== undefined) some = some.where('findings.status', '=', status)
    return some
  }
  const [data, { total }] = await Promise.all([
    db.all(among(visible.select(columns)).orderBy('findings.id', 'desc').limit(limit).offset(offset)),
    db.one(among(visible.select(({ fn }) => fn.countAll<number>().as('total')))),
  ])
  return { data: data as Finding[], total }
}

/** What an agent runs, what is approved of it and what is on record of the difference. */
export interface DriftState {
  agent_id: string
  name: string
  environment_id: string | null
  is_production: boolean
  running_policy_id: string | null
  running_version: number | null
  running_hash: string | null
  approved_policy_id: string | null
  approved_version: number | null
  approved_hash: string | null
  /** Null when the approval or the report is missing. */
  drift: boolean | null
  finding_id: string | null
  /** The open finding is about another running configuration. */
  moved: boolean
}

const driftText = `
  select a.id as agent_id, a.name, a.environment_id, coalesce(e.is_production, false) as is_production,
    r.running_policy_id, r.running_version, r.running_hash, a.approved_policy_id, a.approved_version, a.approved_hash,
    ${driftSql('r.running_policy_id', 'r.running_hash')} as drift, f.id as finding_id,
    f.id is not null and ${findingMovedSql('r.running_policy_id', 'r.running_hash')} as moved
  from agents a
  left join environments e on e.tenant_id = $1 and e.id = a.environment_id
  left join agent_runtime r on r.tenant_id = $1 and r.agent_id = a.id
  left join findings f on f.tenant_id = $1 and f.agent_id = a.id and ${openDriftFinding}
  where a.tenant_id = $1 and a.id = any($2) order by a.id`

/** Of agents whose rows the transaction has locked: findings and reviews are written behind that lock alone. */
export function findDrift(tx: Tx, agentIds: readonly string[]): Promise<DriftState[]> {
  return tx.all(raw<DriftState>(driftText, [tx.tenantId, agentIds]))
}

/** Locks the agents, in the order everyone locks them. */
export async function lockAgents(tx: Tx, agentIds: readonly string[]): Promise<void> {
  const text = 'select id from agents where tenant_id = $1 and id = any($2) order by id for no key update'
  await tx.all(raw(text, [tx.tenantId, agentIds]))
}

export interface NewFinding {
  id: string
  agentId: string
  severity: string
  evidence: Record<string, unknown>
  remediation: string
  now: string
}

export async function insertDriftFinding(tx: Tx, finding: NewFinding): Promise<void> {
  const text = `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
    values ($1, $2, $3, 'policy_drift_unapproved', $4, 'open', $5, $6, $7)`
  const { id, agentId, severity, evidence, remediation, now } = finding
  await tx.all(raw(text, [tx.tenantId, id, agentId, severity, JSON.stringify(evidence), remediation, now]))
}

export async function storeEvidence(tx: Tx, id: string, evidence: Record<string, unknown>): Promise<void> {
  const text = 'update findings set evidence = $3 where tenant_id = $1 and id = $2'
  await tx.all(raw(text, [tx.tenantId, id, JSON.stringify(evidence)]))
}

export async function storeClosed(tx: Tx, id: string, now: string): Promise<void> {
  const text = `update findings set status = 'closed', closed_at = $3 where tenant_id = $1 and id = $2`
  await tx.all(raw(text, [tx.tenantId, id, now]))
}

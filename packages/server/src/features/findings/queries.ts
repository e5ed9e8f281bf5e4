import type { Finding, FindingType } from '@mandate/contract/agents'
import type { FindingFilters } from '@mandate/contract/reviews'
import { sql as fragment, type RawBuilder } from 'kysely'
import { storeAttention } from '../../agent-state/attention.ts'
import type { Member } from '../../authz/actor.ts'
import { countRecordsInSight, findRecordsInSight } from '../../caller/records-in-sight.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import { environmentOfAgent } from '../../db/lists/record-list.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import { findingList } from './finding-list.ts'

/** The columns of a finding in a response. */
export const findingColumns = [
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

type Filters = Partial<FindingFilters> & Pick<FindingFilters, 'limit' | 'offset'>

/** Returns one page of the findings on agents that the actor sees. `total` counts up to 10,000. */
export async function findFindings(db: Sql, actor: Member, filters: Filters) {
  const list = findingList(actor, filters)
  if (!list) return { data: [], total: 0 }
  const { ids, total } = await findRecordsInSight(db, actor, list)
  const [data, counted] = await Promise.all([findByIds(db, ids, filters.sort === 'attention'), total])
  return { data, total: counted }
}

/** The condition of the indexes `findings_live_by_…`. */
const isLive = fragment`r.is_live`

/** Counts the open findings of a type on agents that the actor sees and that are not archived. Counting stops at 10,000. */
export async function countOpen(db: Sql, actor: Member, type: FindingType): Promise<number> {
  const list = findingList(actor, { type, limit: 1, offset: 0 })
  if (!list) return 0
  const parts = list.parts.map((part) => ({ ...part, within: isLive }))
  return await countRecordsInSight(db, actor, { ...list, parts }, countedAtMost)
}

async function findByIds(db: Sql, ids: RawBuilder<string[]>, byAttention: boolean): Promise<Finding[]> {
  const found = sql.selectFrom('findings').select(findingColumns).where('tenant_id', '=', db.tenantId)
  const listed = found.where(({ eb, fn }) => eb('id', '=', fn.any(ids)))
  const sorted = byAttention ? listed.orderBy('attention', 'desc') : listed
  return (await db.all(sorted.orderBy('id', 'desc'))) as Finding[]
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
      opened_at, is_archived)
    values ($1, $2, $3, ${environmentOfAgent}, $4, $5, 'open', $6, $7, $8,
      (select a.status = 'archived' from agents a where a.tenant_id = $1 and a.id = $3))`
  const { id, agentId, type, severity, evidence, remediation, now } = finding
  const values = [tx.tenantId, id, agentId, type, severity, JSON.stringify(evidence), remediation, now]
  await Promise.all([tx.all(raw(text, values)), storeAttention(tx, agentId)])
}

export async function storeEvidence(tx: Tx, id: string, evidence: object): Promise<void> {
  const text = 'update findings set evidence = $3 where tenant_id = $1 and id = $2'
  await tx.all(raw(text, [tx.tenantId, id, JSON.stringify(evidence)]))
}

/** Closes a finding of the agent. */
export async function storeClosed(tx: Tx, agentId: string, id: string, now: string): Promise<void> {
  const text = `update findings set status = 'closed', closed_at = $3 where tenant_id = $1 and id = $2`
  await Promise.all([tx.all(raw(text, [tx.tenantId, id, now])), storeAttention(tx, agentId)])
}

/** Closes the agent's open findings of these types and returns them. */
export async function storeClosedOf(tx: Tx, agentId: string, types: readonly FindingType[], now: string) {
  const text = `update findings set status = 'closed', closed_at = $4
    where tenant_id = $1 and agent_id = $2 and type = any($3) and status = 'open' returning id, type, evidence`
  const closing = raw<{ id: string; type: FindingType; evidence: object }>(text, [tx.tenantId, agentId, types, now])
  const closed = await tx.all(closing)
  if (closed.length > 0) await storeAttention(tx, agentId)
  return closed
}

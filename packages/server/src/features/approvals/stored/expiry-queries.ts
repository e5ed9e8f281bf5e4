import type { ApprovalEnd } from '@mandate/contract/approvals'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { deleteLinks } from './link-queries.ts'

/** Stores the time at which an approval expires. The stored row is deleted when the approval is denied, consumed or expired. */
export async function insertDeadline(tx: Tx, id: string, expiresAt: string): Promise<void> {
  const text = 'insert into approval_deadlines (tenant_id, approval_id, expires_at) values ($1, $2, $3)'
  await tx.all(raw(text, [tx.tenantId, id, expiresAt]))
}

export async function deleteDeadlines(tx: Tx, ids: readonly string[]): Promise<void> {
  const text = 'delete from approval_deadlines where tenant_id = $1 and approval_id = any($2)'
  await tx.all(raw(text, [tx.tenantId, ids]))
}

/** An approval that was just marked as expired. `previous` is its status before that. */
export interface Expired {
  id: string
  agent_id: string
  agent_name: string
  environment_id: string | null
  tool: string
  previous: 'pending' | 'approved'
}

/** Why approvals end, and the freeze that ends them. */
export interface End {
  because: ApprovalEnd
  freezeId: string | null
}

/** `$2` is why they end, and `$3` the freeze. */
const expireText = (which: string) => `
  with due as (
    select d.id, d.status from approvals d
    where d.tenant_id = $1 and d.status in ('pending', 'approved') and ${which}
  )
  update approvals p set status = 'expired', ended_because = $2, freeze_id = $3 from due, agents a
  where p.tenant_id = $1 and p.id = due.id and a.tenant_id = $1 and a.id = p.agent_id
  returning p.id, p.agent_id, a.name as agent_name, a.environment_id, p.tool, due.status as previous`

const expireOfAgent = expireText('d.agent_id = $4 order by d.id for update')

/** Marks the agent's pending and approved approvals as expired. */
export async function storeExpiredOfAgent(tx: Tx, agentId: string, { because, freezeId }: End): Promise<Expired[]> {
  return forget(tx, await tx.all(raw<Expired>(expireOfAgent, [tx.tenantId, because, freezeId, agentId])))
}

// Reads the ids of a batch first, because a sort by id would choose an index that begins with long expired approvals.
const expireOfTarget = (isOfTarget: string) =>
  expireText(`d.id = any(array(select c.id from approvals c where c.tenant_id = $1 and c.status in ('pending', 'approved')
    and ${isOfTarget} limit $5)) order by d.id for update`)

const ofTarget = {
  agent: expireOfTarget('c.agent_id = $4'),
  environment: expireOfTarget('c.environment_id = $4'),
  organization: expireOfTarget('c.tenant_id = $4'),
}

/** The agents that something covers: one agent, those of an environment, or those of the tenant with this id. */
export interface Target {
  scope: keyof typeof ofTarget
  id: string
}

/** Marks at most `limit` pending and approved approvals of the agents as expired. */
export async function storeExpiredOfTarget(
  tx: Tx,
  { scope, id }: Target,
  { because, freezeId }: End,
  limit: number,
): Promise<Expired[]> {
  return forget(tx, await tx.all(raw<Expired>(ofTarget[scope], [tx.tenantId, because, freezeId, id, limit])))
}

// Skips approvals that another transaction resolves or consumes at this moment; the next run checks them.
const expireOverdue = expireText('d.id = any($4) and d.expires_at <= $5 order by d.id for update skip locked')

/** Marks the overdue approvals among `ids` as expired. */
export async function storeExpiredOverdue(tx: Tx, ids: readonly string[], now: string): Promise<Expired[]> {
  return forget(tx, await tx.all(raw<Expired>(expireOverdue, [tx.tenantId, 'time', null, ids, now])))
}

async function forget(tx: Tx, expired: Expired[]): Promise<Expired[]> {
  const ids = expired.map(({ id }) => id)
  if (ids.length > 0) await Promise.all([deleteDeadlines(tx, ids), deleteLinks(tx, ids)])
  return expired
}

/** Returns the ids of all tenants that have overdue approvals. */
export function findOverdueTenants(global: Sql, now: string): Promise<{ tenant_id: string }[]> {
  return global.all(
    raw<{ tenant_id: string }>('select distinct tenant_id from approval_deadlines where expires_at <= $1', [now]),
  )
}

/** Returns the ids of the tenant's overdue approvals, the longest overdue first. */
export async function findOverdue(tx: Tx, now: string, limit: number): Promise<string[]> {
  const text = `select approval_id as id from approval_deadlines where tenant_id = $1 and expires_at <= $2
    order by expires_at limit $3`
  return (await tx.all(raw<{ id: string }>(text, [tx.tenantId, now, limit]))).map(({ id }) => id)
}

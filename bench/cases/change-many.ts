import type pg from 'pg'
import type { Fleet } from '../seed-fleet.ts'

/**
 * Changes nearly all rows that lists read, without a vacuum afterwards. Blocks all agents and approves them again, makes all evidence
 * stale, closes all findings, and expires all pending approvals.
 */
export async function changeMany(client: pg.Client, fleets: readonly Fleet[]): Promise<void> {
  for (const table of ['agents', 'agent_evidence', 'findings', 'approvals']) {
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  }
  for (const { tenantId } of fleets) {
    for (const change of changes) await client.query(change, [tenantId])
  }
}

const changes = [
  `update agents set lifecycle_status = 'retired' where tenant_id = $1 and lifecycle_status = 'blocked'`,
  `update agents set lifecycle_status = 'blocked' where tenant_id = $1 and lifecycle_status = 'approved'`,
  `update agents set lifecycle_status = 'approved' where tenant_id = $1 and lifecycle_status = 'blocked'`,
  `update agents set lifecycle_status = 'blocked' where tenant_id = $1 and lifecycle_status = 'retired'`,
  `update agent_evidence set attested_at = attested_at - interval '2 days', window_start = window_start - interval '2 days',
     window_end = window_end - interval '2 days' where tenant_id = $1`,
  `update findings set status = 'closed', closed_at = now() where tenant_id = $1 and status = 'open'`,
  `update approvals set status = 'expired' where tenant_id = $1 and status = 'pending'`,
]

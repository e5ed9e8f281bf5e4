import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

export interface ActivityRow {
  agent_id: string
  /** Number of the hour, from 0. */
  hour: number
  effect: 'allow' | 'deny' | 'require_approval'
  calls: number
}

// Reads the hours of each agent from the primary key. Without the lateral join, PostgreSQL may read the hours of every agent.
const activityText = `
  select i.agent_id, extract(epoch from h.bucket - $3::timestamptz)::int / 3600 as hour, h.effect, sum(h.calls)::bigint as calls
  from unnest($2::uuid[]) i (agent_id)
  cross join lateral (select c.bucket, k.effect, c.calls from decision_hours c
    join decision_kinds k on k.tenant_id = $1 and k.id = c.kind_id
    where c.tenant_id = $1 and c.subject_id = i.agent_id and c.bucket >= $3::timestamptz and c.bucket <= $4::timestamptz
    offset 0) h
  group by 1, 2, 3`

/** Returns the number of decisions about agents by hour and effect, for the hours from `from` to `to`, both included. */
export function findActivity(db: Sql, agentIds: readonly string[], { from, to }: { from: string; to: string }) {
  return db.all(raw<ActivityRow>(activityText, [db.tenantId, agentIds, from, to]))
}

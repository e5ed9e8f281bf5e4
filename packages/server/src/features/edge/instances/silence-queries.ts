import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Quiet } from '../reach/edge-list-queries.ts'

export interface NotedEdge {
  id: string
  environment_id: string
}

/** Most edges that one statement changes. The next run changes the others. */
const atOnce = 500

const becameSilent = `e.tenant_id = $1 and e.revoked_at is null and e.silent_since is null and e.last_heartbeat_at < $2::timestamptz`
const hasReturned = `e.tenant_id = $1 and e.revoked_at is null and e.silent_since is not null and e.last_heartbeat_at >= $2::timestamptz`

/** True if an edge became silent or returned since the last event said so. */
export async function hasNewSilence(db: Sql, { silentBefore }: Quiet): Promise<boolean> {
  const text = `select 1 from edges e where (${becameSilent}) or (${hasReturned}) limit 1`
  return (await db.maybe(raw(text, [db.tenantId, silentBefore]))) !== undefined
}

const edgesOf = (condition: string) => `e.tenant_id = $1 and e.id in (
  select e.id from edges e where ${condition} order by e.id limit ${atOnce} for no key update skip locked)`

/** Marks edges that became silent. Returns them. */
export function storeSilent(tx: Tx, { silentBefore }: Quiet, now: string): Promise<NotedEdge[]> {
  const text = `update edges e set silent_since = $3 where ${edgesOf(becameSilent)} returning e.id, e.environment_id`
  return tx.all(raw<NotedEdge>(text, [tx.tenantId, silentBefore, now]))
}

/** Removes the mark of edges that returned. Returns them. */
export function storeReturned(tx: Tx, { silentBefore }: Quiet): Promise<NotedEdge[]> {
  const text = `update edges e set silent_since = null where ${edgesOf(hasReturned)} returning e.id, e.environment_id`
  return tx.all(raw<NotedEdge>(text, [tx.tenantId, silentBefore]))
}

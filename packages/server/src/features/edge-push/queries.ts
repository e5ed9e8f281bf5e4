import type { ApprovalStatus } from '@mandate/contract/approvals'
import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/** The credential of an open stream. `keyDigest` is null for an edge: its row is deleted or revoked with the key. */
export interface StreamCredential {
  id: string
  keyDigest: Buffer
}

const liveEdges = `select id from edges where tenant_id = $1 and id = any($2::uuid[]) and revoked_at is null`
const liveAgents = `select a.id, a.key_hash as "keyDigest" from agents a where a.tenant_id = $1 and a.id = any($2::uuid[])`

/** Returns those of the edges that are not revoked. */
export async function findLiveEdges(db: Sql, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await db.all(raw<{ id: string }>(liveEdges, [db.tenantId, ids]))).map(({ id }) => id))
}

/** Returns the digest of the current key of each agent. */
export async function findAgentKeys(db: Sql, ids: readonly string[]): Promise<Map<string, Buffer | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db.all(raw<{ id: string; keyDigest: Buffer | null }>(liveAgents, [db.tenantId, ids]))
  return new Map(rows.map(({ id, keyDigest }) => [id, keyDigest]))
}

const approvals = `select p.id, p.agent_id as "agentId", p.status from approvals p where p.tenant_id = $1 and p.id = any($2::uuid[])`

export function findApprovals(db: Sql, ids: readonly string[]) {
  return db.all(raw<{ id: string; agentId: string; status: ApprovalStatus }>(approvals, [db.tenantId, ids]))
}

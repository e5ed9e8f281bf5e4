import type { UserColumns } from '../../../caller/caller-queries.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

export interface NewLink {
  tokenHash: Buffer
  approvalId: string
  userId: string
  now: string
}

/** Inserts an approval link, and the row of `credential_lookup` that finds the link's tenant by the hash of its token. */
export async function insertLink(tx: Tx, { tokenHash, approvalId, userId, now }: NewLink): Promise<void> {
  const link =
    'insert into approval_links (tenant_id, token_hash, approval_id, user_id, created_at) values ($1, $2, $3, $4, $5)'
  const lookup = `insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'approval_link', $2, $3)`
  await Promise.all([
    tx.all(raw(link, [tx.tenantId, tokenHash, approvalId, userId, now])),
    tx.all(raw(lookup, [tokenHash, tx.tenantId, approvalId])),
  ])
}

/** Deletes the links of these approvals, so that they stop working. */
export async function deleteLinks(tx: Tx, ids: readonly string[]): Promise<void> {
  const lookups = `delete from credential_lookup where tenant_id = $1 and id = any($2) and kind = 'approval_link'`
  await Promise.all([
    tx.all(raw('delete from approval_links where tenant_id = $1 and approval_id = any($2)', [tx.tenantId, ids])),
    tx.all(raw(lookups, [tx.tenantId, ids])),
  ])
}

/** Returns the tenant of an approval link. Searches all tenants, because a request with a link does not name its tenant. */
export function findTenantOfLink(global: Sql, tokenHash: Buffer): Promise<{ tenant_id: string } | undefined> {
  const text = `select tenant_id from credential_lookup where hash = $1 and kind = 'approval_link'`
  return global.maybe(raw<{ tenant_id: string }>(text, [tokenHash]))
}

/** The approval that a mailed link opens, and the current data of the user who received the mail. */
export interface LinkRow extends UserColumns {
  approval_id: string
}

/** Returns the data of a link. Returns undefined for an unknown link, and if its user was removed. */
export function findLink(db: Sql, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const text = `select l.approval_id, u.id as user_id, u.account_id, u.email, u.display_name, u.role, u.access_scope,
      u.academy_only, u.read_only
    from approval_links l join users u on u.tenant_id = l.tenant_id and u.id = l.user_id and u.status = 'active'
    where l.tenant_id = $1 and l.token_hash = $2`
  return db.maybe(raw<LinkRow>(text, [db.tenantId, tokenHash]))
}

/** The policy that decided a call, and the version that people approved for the agent. */
export interface PolicyOfCall {
  /** Name of the policy; null if the policy was deleted. */
  name: string | null
  /** Null without an approval of record. */
  approved_policy_id: string | null
  approved_version: number | null
  /** Name of the approved policy; null if the policy was deleted. */
  approved_name: string | null
}

/** Returns the policy with this id, and the approved policy of the agent. */
export function findPolicyOfCall(db: Sql, policyId: string, agentId: string): Promise<PolicyOfCall> {
  const text = `select p.name, a.approved_policy_id, a.approved_version, approved.name as approved_name
    from agents a
    left join policies p on p.tenant_id = a.tenant_id and p.id = $2
    left join policies approved on approved.tenant_id = a.tenant_id and approved.id = a.approved_policy_id
    where a.tenant_id = $1 and a.id = $3`
  return db.one(raw<PolicyOfCall>(text, [db.tenantId, policyId, agentId]))
}

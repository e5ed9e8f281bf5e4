import type { Member } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'

// The lock holds a revocation back until the change is committed. An owner sees everything, whatever is stored.
const requireSame = `select case when coalesce((
    select true from api_keys k join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
    where k.tenant_id = $1 and k.id = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)
      and k.key_prefix = $4 and k.name = $5 and k.scopes = $6 and k.environment_id is not distinct from $7
      and ($7::uuid is null or exists (select from environments e where e.tenant_id = $1 and e.id = $7))
      and u.id = $8 and u.status = 'active' and u.account_id is not distinct from $9 and u.email = $10
      and u.display_name = $11 and u.role = $12 and (u.role = 'owner' or u.access_scope = $13) and u.academy_only = $14
    for share of k), false) then true else refuse_stale() end`

/** PostgreSQL's code for what `refuse_stale` raises. */
const stale = 'MK409'

/**
 * Last in a change made for who a key's caller was the last time: fails unless the key lives and its caller is the very same, with the
 * same authority.
 * @throws what `isStale` knows
 */
export async function requireSameCaller(tx: Tx, { key, ...user }: Member, now: string): Promise<void> {
  if (!key) throw new Error('only callers through a key are acted for ahead of their look-up')
  const { id, prefix, name, scopes, environmentId } = key
  const { userId, accountId, email, displayName, role, accessScope, academyOnly } = user
  const ofKey = [tx.tenantId, id, now, prefix, name, scopes, environmentId]
  await tx.all(raw(requireSame, [...ofKey, userId, accountId, email, displayName, role, accessScope, academyOnly]))
}

/** Whether a change failed because what it relied on from before is no longer so. */
export function isStale(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === stale
}

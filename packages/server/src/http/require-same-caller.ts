import type { ActingKey, Member } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { keyLives } from './live-key.ts'

// The lock holds a revocation back until the change is committed. An owner sees everything, whatever is stored.
const requireSame = `select case when coalesce((
    select true from api_keys k join users u on u.tenant_id = k.tenant_id and u.id = k.created_by
    where k.tenant_id = $1 and k.id = $2 and ${keyLives('$3')}
      and k.key_prefix = $4 and k.name = $5 and k.scopes = $6 and k.environment_id is not distinct from $7
      and u.id = $8 and u.account_id is not distinct from $9 and u.email = $10
      and u.display_name = $11 and u.role = $12 and (u.role = 'owner' or u.access_scope = $13) and u.academy_only = $14
    for share of k), false) then true else refuse_stale() end`

/** PostgreSQL's code for what `refuse_stale` raises. */
const stale = 'MK409'

/** A caller through a key. */
export type KeyCaller = Member & { key: ActingKey }

/**
 * Last in a change made for who a key's caller was the last time: fails unless the key lives and its caller is the very same, with the
 * same authority. As without it, the user's own row is not locked: it is read as it is when this runs.
 * @throws what `isStale` knows
 */
export async function requireSameCaller(tx: Tx, { key, ...user }: KeyCaller, now: string): Promise<void> {
  const { id, prefix, name, scopes, environmentId } = key
  const { userId, accountId, email, displayName, role, accessScope, academyOnly } = user
  const ofKey = [tx.tenantId, id, now, prefix, name, scopes, environmentId]
  await tx.all(raw(requireSame, [...ofKey, userId, accountId, email, displayName, role, accessScope, academyOnly]))
}

/** Whether a change failed because what it relied on from before is no longer so. */
export function isStale(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === stale
}

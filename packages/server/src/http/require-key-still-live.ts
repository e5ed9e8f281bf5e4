import type { Actor } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { GateRefusal } from './errors.ts'

// A row that this very transaction wrote carries its id: a key's last act may be to revoke itself.
const lockKey = `select revoked_at is null or xmin = pg_current_xact_id()::xid as live
  from api_keys where tenant_id = $1 and id = $2 for share`
const ownTenant = 'select id from tenants where id = $1'

/**
 * Last in every change made through an API key: 401 when the key was revoked, or went with its creator, since the
 * request was let in. The lock holds a revocation back until this change is committed, so none lands after it.
 */
export async function requireKeyStillLive(tx: Tx, actor: Actor | null): Promise<void> {
  if (actor?.kind !== 'api_key' || !actor.key) return
  const key = await tx.maybe(raw<{ live: boolean }>(lockKey, [tx.tenantId, actor.key.id]))
  if (!key) {
    // Gone with the whole tenant: by this very change.
    if (await tx.maybe(raw(ownTenant, [tx.tenantId]))) throw new GateRefusal(401, 'invalid API key')
    return
  }
  if (!key.live) throw new GateRefusal(401, 'invalid API key')
}

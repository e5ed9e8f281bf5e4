import type { Actor } from '../authz/actor.ts'
import type { Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { invalidKey } from '../refusal.ts'

// A row that this very transaction wrote carries its id: a key's last act may be to revoke itself. Raising in the database lets the
// commit be sent right behind it.
const requireLive = `select case when coalesce(
    (select revoked_at is null or xmin = pg_current_xact_id()::xid from api_keys where tenant_id = $1 and id = $2 for share),
    not exists (select from tenants where id = $1)
  ) then true else refuse_key() end`

/** PostgreSQL's code for what `refuse_key` raises. */
const keyRefused = 'MK401'

/**
 * The last check of every change through an API key. Fails if the key was revoked or deleted after the request was admitted.
 * The share lock makes a revocation wait until this change is committed, so no change commits after its key was revoked.
 * If the whole tenant is gone, this change deleted it, and the check passes.
 */
export async function requireKeyStillLive(tx: Tx, actor: Actor | null): Promise<void> {
  if (actor?.kind !== 'api_key' || !actor.key) return
  await tx.all(raw(requireLive, [tx.tenantId, actor.key.id]))
}

/** 401 for what `requireKeyStillLive` makes a transaction fail with; anything else as it is. */
export function explainKeyRefusal(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code === keyRefused ? invalidKey() : error
}

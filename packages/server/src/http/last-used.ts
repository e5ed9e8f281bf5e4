import type { Database } from '../db/database.ts'
import { raw } from '../db/statement.ts'

/** Times of use, written behind in batches: at most a second late. */
export interface LastUsed {
  keyUsed(tenantId: string, keyId: string, at: string): void
  userActive(tenantId: string, userId: string, at: string): void
  /** Writes what is pending, for one tenant or for all; the key list calls it before it reads. */
  flush(tenantId?: string): Promise<void>
  close(): Promise<void>
}

type Pending = Map<string, string>

const writes = {
  keys: `update api_keys k set last_used_at = v.at from unnest($2::uuid[], $3::timestamptz[]) as v (id, at)
    where k.tenant_id = $1 and k.id = v.id and (k.last_used_at is null or k.last_used_at < v.at)`,
  users: `update users u set last_active_at = v.at from unnest($2::uuid[], $3::timestamptz[]) as v (id, at)
    where u.tenant_id = $1 and u.id = v.id and (u.last_active_at is null or u.last_active_at < v.at)`,
}

export function createLastUsed(db: Database, onError: (error: unknown) => void, everyMs = 500): LastUsed {
  const pending = { keys: new Map<string, Pending>(), users: new Map<string, Pending>() }
  const note = (kind: keyof typeof pending, tenantId: string, id: string, at: string) => {
    const of = pending[kind]
    const existing = of.get(tenantId)
    if (existing) existing.set(id, at)
    else of.set(tenantId, new Map([[id, at]]))
  }
  const flushTenant = async (kind: keyof typeof pending, tenantId: string) => {
    const due = pending[kind].get(tenantId)
    if (!due) return
    pending[kind].delete(tenantId)
    // Sorted, so that two instances writing the same rows take their locks in one order.
    const ids = [...due.keys()].sort()
    const times = ids.map((id) => due.get(id))
    await db.reader(tenantId).all(raw(writes[kind], [tenantId, ids, times]))
  }
  const flush = async (tenantId?: string) => {
    for (const kind of ['keys', 'users'] as const) {
      for (const tenant of tenantId ? [tenantId] : [...pending[kind].keys()]) await flushTenant(kind, tenant)
    }
  }
  const timer = setInterval(() => flush().catch(onError), everyMs)
  timer.unref()
  return {
    keyUsed: (tenantId, keyId, at) => note('keys', tenantId, keyId, at),
    userActive: (tenantId, userId, at) => note('users', tenantId, userId, at),
    flush,
    async close() {
      clearInterval(timer)
      await flush().catch(onError)
    },
  }
}

import type { Database } from '../db/database.ts'
import { raw } from '../db/statement.ts'

const later = (one: string | undefined, other: string) => (one !== undefined && one > other ? one : other)

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

export function createLastUsed(db: Database, onError: (error: unknown) => void, everyMs = 1000): LastUsed {
  const pending = { keys: new Map<string, Pending>(), users: new Map<string, Pending>() }
  const note = (kind: keyof typeof pending, tenantId: string, id: string, at: string) => {
    const of = pending[kind]
    const existing = of.get(tenantId)
    // A use may be told of late: when its change is made.
    if (existing) existing.set(id, later(existing.get(id), at))
    else of.set(tenantId, new Map([[id, at]]))
  }
  const write = async (kind: keyof typeof pending, tenantId: string) => {
    const due = pending[kind].get(tenantId)
    if (!due) return
    pending[kind].delete(tenantId)
    // Sorted, so that two instances writing the same rows take their locks in one order.
    const ids = [...due.keys()].sort()
    const times = ids.map((id) => due.get(id))
    try {
      // Not on the shared connections of the reads: this may wait for a lock.
      const write = raw(writes[kind], [tenantId, ids, times])
      await db.transaction(tenantId, (tx) => Promise.all([tx.all(write), tx.commit()]))
    } catch (error) {
      // Kept for the next round, beneath what has been noted since.
      pending[kind].set(tenantId, new Map([...due, ...(pending[kind].get(tenantId) ?? [])]))
      throw error
    }
  }
  // One write at a time per tenant: a flush ends only when times that were already on their way are written too.
  const underWay = new Map<string, Promise<void>>()
  const flushTenant = (kind: keyof typeof pending, tenantId: string): Promise<void> => {
    const slot = `${kind} ${tenantId}`
    const before = underWay.get(slot)
    if (!before && !pending[kind].has(tenantId)) return Promise.resolve()
    const writing = Promise.resolve(before)
      .catch(() => {})
      .then(() => write(kind, tenantId))
      .finally(() => {
        if (underWay.get(slot) === writing) underWay.delete(slot)
      })
    underWay.set(slot, writing)
    return writing
  }
  const flush = async (tenantId?: string) => {
    for (const kind of ['keys', 'users'] as const) {
      const tenants = tenantId ? [tenantId] : [...pending[kind].keys()]
      await Promise.all(tenants.map((tenant) => flushTenant(kind, tenant)))
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

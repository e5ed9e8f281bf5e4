import type { Database } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

const later = (one: string | undefined, other: string) => (one !== undefined && one > other ? one : other)

/**
 * Collects the times when API keys and users were last active. The times are written to the database in batches, at most a
 * second later.
 */
export interface LastUsed {
  keyUsed(tenantId: string, keyId: string, at: string): void
  userActive(tenantId: string, userId: string, at: string): void
  /**
   * Returns a function that takes the id of an API key, and returns the time at which the key was last used if this time is not
   * in the database yet.
   */
  pendingOf(tenantId: string): (keyId: string) => string | undefined
  /**
   * Writes the collected last-used times of one tenant, or of all tenants, to the database. If another transaction has locked
   * the row of a key or a user, a later flush writes the time of this key or user.
   */
  flush(tenantId?: string): Promise<void>
  close(): Promise<void>
}

type Pending = Map<string, string>

/**
 * Returns SQL that writes the last-used times of keys or users to their table. The statement skips rows that another
 * transaction has locked, because waiting for their locks could cause a deadlock. It returns the ids of the skipped rows, and a
 * later flush writes their times.
 */
const writeOf = (table: string, column: string) => `
  with due as (
    select t.id, v.at from ${table} t join unnest($2::uuid[], $3::timestamptz[]) as v (id, at) on v.id = t.id
    where t.tenant_id = $1 and (t.${column} is null or t.${column} < v.at)
  ), free as (
    select t.id, due.at from ${table} t join due on due.id = t.id
    where t.tenant_id = $1 order by t.id for update of t skip locked
  ), written as (
    update ${table} t set ${column} = free.at from free where t.tenant_id = $1 and t.id = free.id
  )
  select id from due where id not in (select id from free)`

const writes = { keys: writeOf('api_keys', 'last_used_at'), users: writeOf('users', 'last_active_at') }

export function createLastUsed(db: Database, onError: (error: unknown) => void, everyMs = 1000): LastUsed {
  const pending = { keys: new Map<string, Pending>(), users: new Map<string, Pending>() }
  const beingWritten = { keys: new Map<string, Pending>(), users: new Map<string, Pending>() }
  const note = (kind: keyof typeof pending, tenantId: string, id: string, at: string) => {
    const of = pending[kind]
    const existing = of.get(tenantId)
    // Times may arrive out of order. A request reports the time at which it started, but only after its credential was looked
    // up.
    if (existing) existing.set(id, later(existing.get(id), at))
    else of.set(tenantId, new Map([[id, at]]))
  }
  const write = async (kind: keyof typeof pending, tenantId: string) => {
    const due = pending[kind].get(tenantId)
    if (!due) return
    pending[kind].delete(tenantId)
    const keep = (times: Iterable<[string, string]>) => {
      const since = pending[kind].get(tenantId) ?? []
      pending[kind].set(tenantId, new Map([...times, ...since]))
    }
    beingWritten[kind].set(tenantId, due)
    // Sorted, so that two instances lock the same rows in the same order.
    const ids = [...due.keys()].sort()
    const times = ids.map((id) => due.get(id))
    try {
      // The statement may wait for a lock. It therefore does not run on the connections that reads share.
      const write = raw<{ id: string }>(writes[kind], [tenantId, ids, times])
      const [locked] = await db.transaction(tenantId, (tx) => Promise.all([tx.all(write), tx.commit()]))
      if (locked.length > 0) keep(locked.map(({ id }) => [id, due.get(id) as string]))
    } catch (error) {
      keep(due)
      throw error
    } finally {
      beingWritten[kind].delete(tenantId)
    }
  }
  // Runs one write at a time per tenant. A flush therefore ends only after earlier writes of the tenant have ended.
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
    pendingOf(tenantId) {
      const [waiting, leaving] = [pending.keys.get(tenantId), beingWritten.keys.get(tenantId)]
      return (keyId) => waiting?.get(keyId) ?? leaving?.get(keyId)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush().catch(onError)
    },
  }
}

import type { ApiKey } from '@mandate/contract/api-keys'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { keyAnswer } from './key-answer.ts'
import { keyMay } from './may.ts'
import { findKeys, type KeyFilters } from './queries.ts'
import { keysSeenBy } from './rules.ts'

export interface KeyPage {
  data: ApiKey[]
  total: number
  limit: number
  offset: number
}

export interface KeyListQuery {
  state?: KeyFilters['state']
  unused_days?: number | undefined
  older_days?: number | undefined
  include?: Include
  limit: number
  offset: number
}

/**
 * Returns the keys that the caller sees and that pass the filters, newest first. Without `state`, revoked keys are included. `total`
 * counts the same keys.
 */
export async function listKeys(ctx: Ctx<Member>, query: KeyListQuery): Promise<KeyPage> {
  const { state, unused_days, older_days, include, limit, offset } = query
  const { now, services, actor } = ctx
  // A filter by use reads the stored times, so the times that this instance keeps in memory are written first.
  if (unused_days !== undefined) await services.lastUsed.flush(actor.tenantId)
  // This instance keeps the times at which keys were last used in memory, and writes them to the database in batches.
  // `pendingOf` returns the times that are still in memory. It must run before `findKeys`. Otherwise a time that is written
  // between the two calls would be missing in both results.
  const pendingUse = services.lastUsed.pendingOf(actor.tenantId)
  const filters = { state, unusedSince: daysBefore(now, unused_days), createdBefore: daysBefore(now, older_days) }
  const { keys, total } = await findKeys(ctx.sql, keysSeenBy(actor), filters, { limit, offset, now })
  const data = (await keyMay.addToAll(ctx, include, keys)).map((key) => {
    const used = pendingUse(key.id)
    const isNewer = used !== undefined && (key.last_used_at === null || used > key.last_used_at)
    return keyAnswer(isNewer ? { ...key, last_used_at: used } : key)
  })
  return { data, total, limit, offset }
}

const dayMs = 86_400_000

const daysBefore = (now: string, days: number | undefined) =>
  days === undefined ? undefined : new Date(Date.parse(now) - days * dayMs).toISOString()

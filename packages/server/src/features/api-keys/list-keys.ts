import type { ApiKey } from '@mandate/contract/api-keys'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { keyAnswer } from './key-answer.ts'
import { findKeys } from './queries.ts'
import { keysSeenBy } from './rules.ts'

export interface KeyPage {
  data: ApiKey[]
  total: number
  limit: number
  offset: number
}

/** Returns the keys that the caller sees, newest first, including revoked keys. `total` counts all keys that the caller sees. */
export async function listKeys(
  ctx: Ctx<Member>,
  { limit, offset }: { limit: number; offset: number },
): Promise<KeyPage> {
  // This instance keeps the times at which keys were last used in memory, and writes them to the database in batches.
  // `pendingOf` returns the times that are still in memory. It must run before `findKeys`. Otherwise a time that is written
  // between the two calls would be missing in both results.
  const pendingUse = ctx.services.lastUsed.pendingOf(ctx.actor.tenantId)
  const { keys, total } = await findKeys(ctx.sql, keysSeenBy(ctx.actor), limit, offset)
  const data = keys.map((key) => {
    const used = pendingUse(key.id)
    const isNewer = used !== undefined && (key.last_used_at === null || used > key.last_used_at)
    return keyAnswer(isNewer ? { ...key, last_used_at: used } : key)
  })
  return { data, total, limit, offset }
}

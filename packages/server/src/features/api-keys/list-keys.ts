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
  // This instance keeps times of last use in memory and stores them later, in batches. The times in memory are taken before the
  // read. If they were taken after it, a time that is stored during the read would be missing from both.
  const pendingUse = ctx.services.lastUsed.pendingOf(ctx.actor.tenantId)
  const { keys, total } = await findKeys(ctx.sql, keysSeenBy(ctx.actor), limit, offset)
  const data = keys.map((key) => {
    const used = pendingUse(key.id)
    const isNewer = used !== undefined && (key.last_used_at === null || used > key.last_used_at)
    return keyAnswer(isNewer ? { ...key, last_used_at: used } : key)
  })
  return { data, total, limit, offset }
}

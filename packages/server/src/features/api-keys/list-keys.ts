import type { ApiKey } from '@mandate/contract/api-keys'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { keyAnswer } from './key-answer.ts'
import { findKeys } from './queries.ts'
import { keysSeenBy } from './rules.ts'

export interface KeyPage {
  data: ApiKey[]
  total: number
  limit: number
  offset: number
}

/** The keys the caller sees, newest first, revoked ones included; `total` counts the same keys. */
export async function listKeys(
  ctx: Ctx<Member>,
  { limit, offset }: { limit: number; offset: number },
): Promise<KeyPage> {
  // Times of use are written behind; the list shows them exact.
  await ctx.services.lastUsed.flush(ctx.actor.tenantId)
  const { keys, total } = await findKeys(ctx.sql, keysSeenBy(ctx.actor), limit, offset)
  return { data: keys.map(keyAnswer), total, limit, offset }
}

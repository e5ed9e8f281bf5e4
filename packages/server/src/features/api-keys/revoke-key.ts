import type { ApiKey } from '@mandate/contract/api-keys'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Actor, Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { boundTo, keySubject } from './audit-key.ts'
import { keyAnswer } from './key-answer.ts'
import { lockKey, markBoundKeysRevoked, markRevoked } from './queries.ts'
import { keyChangeRefusal, keysSeenBy, revocationRefusal } from './rules.ts'

/** Revokes a key permanently. @throws 403 for a viewer, 404 for a key that the caller does not see, 400 if it is already revoked */
export async function revokeKey(ctx: Ctx<Member>, keyId: string): Promise<ApiKey> {
  throwIfRefused(keyChangeRefusal(ctx.actor))
  return await ctx.inTenant(async (tx) => {
    const key = await lockKey(tx, keysSeenBy(ctx.actor), keyId)
    if (!key) throw notFound('API key')
    throwIfRefused(revocationRefusal(ctx.actor, key))
    const revoked = await markRevoked(tx, keyId, ctx.now)
    await recordAudit(tx, ctx, 'api_key.revoked', keySubject(revoked, boundTo(revoked)))
    return keyAnswer(revoked)
  })
}

/** Revokes the live keys that are bound to an environment, before it is deleted. Returns how many. The caller checks the permission. */
export async function revokeBoundKeys(tx: Tx, ctx: Ctx<Actor>, environmentId: string): Promise<number> {
  const revoked = await markBoundKeysRevoked(tx, environmentId, ctx.now)
  for (const key of revoked) await recordAudit(tx, ctx, 'api_key.revoked', keySubject(key, boundTo(key)))
  return revoked.length
}

import type { ApiKey } from '@mandate/contract/api-keys'
import { type AuditSource, recordAudit } from '../../audit/record-audit.ts'
import type { Actor, Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { boundTo, keySubject } from './audit-key.ts'
import { keyAnswer } from './key-answer.ts'
import { type KeyRow, lockKey, markKeysRevoked, markRevoked } from './queries.ts'
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
  return await recordRevoked(tx, ctx, await markKeysRevoked(tx, 'environment_id', environmentId, ctx.now), {
    because: 'environment_deleted',
  })
}

/** Why the keys of a user end, and the name of the user. The audit trail keeps the name after a removal. */
export interface KeysEnd {
  because: 'user_removed' | 'address_proved'
  created_by_name: string
}

/** Revokes the live keys that a user created. Returns how many. The user must be locked, and the caller checks the permission. */
export async function revokeKeysOfUser(tx: Tx, by: AuditSource, userId: string, end: KeysEnd): Promise<number> {
  return await recordRevoked(tx, by, await markKeysRevoked(tx, 'created_by', userId, by.now), end)
}

async function recordRevoked(
  tx: Tx,
  by: AuditSource,
  revoked: readonly KeyRow[],
  end: KeysEnd | { because: 'environment_deleted' },
): Promise<number> {
  const inOrder = revoked.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  // Issued at once, so that the database gets all entries together: others wait for the locks of this transaction.
  await Promise.all(
    inOrder.map((key) => recordAudit(tx, by, 'api_key.revoked', keySubject(key, { ...boundTo(key), ...end }))),
  )
  return revoked.length
}

import type { ApiKey } from '@mandate/contract/api-keys'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { lockEnvironmentForKeyShare } from '../../caller/working-environment.ts'
import type { Tx } from '../../db/database.ts'
import { notFound, throwIfRefused } from '../../refusal.ts'
import { keySubject } from './audit-key.ts'
import { keyAnswer } from './key-answer.ts'
import { findStandings, type KeyRow, lockKey, setKeyEnvironment } from './queries.ts'
import { bindRequestRefusal, bindToRefusal, keysSeenBy, rebindRefusal } from './rules.ts'

/**
 * Binds a key to an environment, or makes it tenant-wide if `environmentId` is null. The key string and its prefix do not
 * change.
 * @throws 404 for a key that the caller does not see, or for an environment that the caller has no access to; 400 for a revoked
 *   key; 403 in these cases:
 * - The caller is a viewer or an environment-bound key.
 * - A scoped user asks for a tenant-wide key.
 * - The key would get access to a new environment, and the caller has no right to give the key this access.
 */
export async function bindKey(ctx: Ctx<Member>, keyId: string, environmentId: string | null): Promise<ApiKey> {
  return await ctx.inTenant(async (tx) => {
    const key = await requireMayBind(tx, ctx.actor, keyId, environmentId)
    if (key.environment_id === environmentId) return keyAnswer(key)
    const bound = await setKeyEnvironment(tx, keyId, environmentId)
    const details = { old_environment_id: key.environment_id, new_environment_id: environmentId }
    await recordAudit(tx, ctx, 'api_key.environment_changed', keySubject(bound, details))
    return keyAnswer(bound)
  })
}

async function requireMayBind(tx: Tx, actor: Member, keyId: string, environmentId: string | null): Promise<KeyRow> {
  throwIfRefused(bindRequestRefusal(actor))
  // Locks the environment before the key: the deletion of an environment uses the same order.
  const worksThere = environmentId === null || (await lockEnvironmentForKeyShare(tx, actor, environmentId))
  const key = await lockKey(tx, keysSeenBy(actor), keyId)
  if (!key) throw notFound('API key')
  throwIfRefused(bindToRefusal(actor, environmentId))
  if (!worksThere) throw notFound('environment')
  const standingOf = await findStandings(tx, actor.key?.id ?? null, [key])
  throwIfRefused(rebindRefusal(actor, standingOf(key), environmentId))
  return key
}

/**
 * Throws the 403 or 404 of `bindKey`. Runs only if the body is invalid. The 403 or 404 takes precedence over the 400 for the
 * body.
 */
export async function refuseBindFirst(ctx: Ctx<Member>, keyId: string): Promise<void> {
  throwIfRefused(bindRequestRefusal(ctx.actor))
  const key = await ctx.inTenant((tx) => lockKey(tx, keysSeenBy(ctx.actor), keyId))
  if (!key) throw notFound('API key')
}

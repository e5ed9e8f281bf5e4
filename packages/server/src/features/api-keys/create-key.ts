import { type ApiKey, NewApiKey } from '@mandate/contract/api-keys'
import { isRecord } from '@mandate/contract/fields/is-record'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { lockEnvironmentForKeyShare } from '../../caller/working-environment.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids/new-id.ts'
import { mailSecurityNews } from '../../mail/security-mail.ts'
import { invalid, invalidKey, notFound, throwIfRefused } from '../../refusal.ts'
import { digest, newCredential, publicPrefix } from '../../security/credentials.ts'
import { boundTo, keySubject } from './audit-key.ts'
import { keyAnswer } from './key-answer.ts'
import { findExpiry, insertKey } from './queries.ts'
import { expiryRefusal, keyChangeRefusal, newKeyRefusal, scopesRefusal } from './rules.ts'

/**
 * Creates a key that acts as the caller. Only this response contains `raw_key`.
 * @throws 403 for a viewer; 403 if the new key would have more environments, more scopes or a later expiry than the caller may
 *   grant; 404 for an environment that the caller has no access to; 400 for an expiry in the past
 */
export async function createKey(ctx: Ctx<Member>, input: NewApiKey): Promise<ApiKey & { raw_key: string }> {
  const secret = newCredential('mk')
  return await ctx.inTenant(async (tx) => {
    const { environment_id = null, scopes = [], expires_at = null } = input
    await requireMayCreate(tx, ctx.actor, { environment: { id: environment_id }, scopes, expiry: { at: expires_at } })
    if (expires_at !== null && expires_at <= ctx.now) throw invalid('expires_at must be in the future')
    const key = await insertKey(tx, {
      id: newId(),
      created_by: ctx.actor.userId,
      name: input.name,
      key_hash: digest(secret),
      key_prefix: publicPrefix(secret),
      scopes,
      environment_id,
      expires_at,
      created_at: ctx.now,
    })
    await recordAudit(tx, ctx, 'api_key.created', keySubject(key, boundTo(key)))
    await mailSecurityNews(tx, ctx, {
      to: ctx.actor.email,
      tenantId: ctx.actor.tenantId,
      subject: 'A new API key acts as you at Mandate',
      what: `An API key was created that acts as you. It begins with ${key.key_prefix}.`,
    })
    return { ...keyAnswer(key), raw_key: secret }
  })
}

/**
 * The environment, scopes and expiry of the requested key. A field is missing if its value in the request is malformed. The
 * validation of the body reports malformed fields.
 */
interface Wanted {
  environment?: { id: string | null }
  scopes?: readonly string[]
  expiry?: { at: string | null }
}

async function requireMayCreate(tx: Tx, actor: Member, { environment, scopes, expiry }: Wanted): Promise<void> {
  throwIfRefused(keyChangeRefusal(actor))
  if (environment) throwIfRefused(newKeyRefusal(actor, environment.id))
  if (scopes) throwIfRefused(scopesRefusal(actor, scopes))
  if (expiry && actor.key) {
    const own = await findExpiry(tx, actor.key.id)
    if (!own) throw invalidKey()
    throwIfRefused(expiryRefusal(own.expires_at, expiry.at))
  }
  if (environment && environment.id !== null && !(await lockEnvironmentForKeyShare(tx, actor, environment.id))) {
    throw notFound('environment')
  }
}

/**
 * Throws the 403 or 404 of `createKey`. Runs only if the body is invalid. The 403 or 404 takes precedence over the 400 for the
 * body. Uses only the valid fields of the body.
 */
export async function refuseCreateFirst(ctx: Ctx<Member>, body: unknown): Promise<void> {
  // The checks may lock rows, so they need a transaction.
  await ctx.inTenant((tx) => requireMayCreate(tx, ctx.actor, isRecord(body) ? readableParts(body) : {}))
}

function readableParts(body: Record<string, unknown>): Wanted {
  const { environment_id, scopes, expires_at } = NewApiKey.shape
  const [id, wide, at] = [
    environment_id.safeParse(body.environment_id),
    scopes.safeParse(body.scopes),
    expires_at.safeParse(body.expires_at),
  ]
  return {
    ...(id.success && { environment: { id: id.data ?? null } }),
    ...(wide.success && { scopes: wide.data ?? [] }),
    ...(at.success && { expiry: { at: at.data ?? null } }),
  }
}

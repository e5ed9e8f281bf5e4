import type { Credential } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { recordCredentialVersion } from '../../events/credential-events.ts'
import { notFound } from '../../refusal.ts'
import { lockCredential, nextVersion, storeSecret } from './queries.ts'
import { checkSecret, secretContext } from './rules.ts'

/**
 * Replaces the secret of a credential, also by the same one.
 * @throws 404; 400 for a secret that the kind cannot send
 */
export async function rotateCredential(ctx: Ctx<Member>, id: string, secret: string): Promise<Credential> {
  return await ctx.inTenant(async (tx) => {
    const before = await lockCredential(tx, ctx.actor, id)
    if (!before) throw notFound('credential')
    const { name, kind, environment_id: environmentId } = before
    checkSecret(kind, secret)
    const version = await nextVersion(tx, environmentId, name)
    const after = await storeSealed(tx, ctx, id, { secret, version })
    await recordAudit(tx, ctx, 'credential.rotated', {
      resource: { type: 'credential', id, name },
      details: { version },
      environmentId,
    })
    await recordCredentialVersion(tx, { id, environmentId, at: ctx.now }, { name, version })
    return after
  })
}

/** Stores a secret, sealed. */
export async function storeSealed(
  tx: Tx,
  { services, now }: Pick<Ctx<Member>, 'services' | 'now'>,
  id: string,
  { secret, version }: { secret: string; version: number },
): Promise<Credential> {
  const sealed = services.vault.seal(secret, secretContext(tx.tenantId, id))
  return await storeSecret(tx, id, sealed, version, now)
}

import type { Credential } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
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
    const sealed = ctx.services.vault.seal(secret, secretContext(tx.tenantId, id))
    const after = await storeSecret(tx, id, sealed, version, ctx.now)
    await recordAudit(tx, ctx, 'credential.rotated', {
      resource: { type: 'credential', id, name },
      details: { version },
      environmentId,
    })
    await recordCredentialVersion(tx, { id, environmentId, at: ctx.now }, { name, version })
    return after
  })
}

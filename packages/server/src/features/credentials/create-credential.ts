import { type Credential, mostCredentials, type NewCredential } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { placeInEnvironment } from '../../caller/place-in-environment.ts'
import { newId } from '../../db/ids/new-id.ts'
import { recordCredentialVersion } from '../../events/credential-events.ts'
import { conflict } from '../../refusal.ts'
import { insertCredential, lockAndCount, nextVersion } from './queries.ts'
import { checkConfig, checkSecret, secretContext } from './rules.ts'

/**
 * Stores a credential with its sealed secret.
 * @throws 404 for an environment that a scoped caller has no access to; 400 for an unknown environment, and for settings or a secret that
 * the kind does not accept; 409 if the name is taken, or if the environment has no room
 */
export async function createCredential(ctx: Ctx<Member>, input: NewCredential): Promise<Credential> {
  const { name, kind, secret, config: given = {} } = input
  const { vault, config: settings } = ctx.services
  const environment = await placeInEnvironment(ctx, input.environment_id)
  const config = checkConfig(kind, given, settings.privatePlatforms)
  checkSecret(kind, secret)
  const id = newId()
  return await ctx.inTenant(async (tx) => {
    if ((await lockAndCount(tx, environment.id)) >= mostCredentials)
      throw conflict(`an environment has at most ${mostCredentials} credentials`)
    const version = await nextVersion(tx, environment.id, name)
    const sealed = vault.seal(secret, secretContext(tx.tenantId, id))
    const values = { id, environmentId: environment.id, name, kind, config, sealed, version }
    const credential = await insertCredential(tx, { ...values, createdBy: ctx.actor.userId }, ctx.now)
    if (!credential) throw conflict(nameTakenText)
    await recordAudit(tx, ctx, 'credential.created', {
      resource: { type: 'credential', id, name },
      details: { kind, environment_id: environment.id, config, version },
      environmentId: environment.id,
    })
    await recordCredentialVersion(tx, { id, environmentId: environment.id, at: ctx.now }, { name, version })
    return credential
  })
}

export const nameTakenText = 'a credential with this name exists in this environment'

import { isDeepStrictEqual } from 'node:util'
import type { Credential, CredentialChange } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { brokenConstraint } from '../../db/database.ts'
import { recordCredentialVersion } from '../../events/credential-events.ts'
import { conflict, invalid, notFound } from '../../refusal.ts'
import { nameTakenText } from './create-credential.ts'
import { findCredential, lockCredential, nextVersion, storeCredential } from './queries.ts'
import { storeSealed } from './rotate-credential.ts'
import { type CredentialConfig, checkConfig, checkSecret } from './rules.ts'

/**
 * Changes the name, the settings or the secret of a credential.
 * @throws 404; 400 for settings or a secret that the kind does not accept, and if the stored secret would be sent to another server; 409 if the
 * name is taken
 */
export async function updateCredential(ctx: Ctx<Member>, id: string, change: CredentialChange): Promise<Credential> {
  try {
    return await ctx.inTenant(async (tx) => {
      const before = await lockCredential(tx, ctx.actor, id)
      if (!before) throw notFound('credential')
      const { environment_id: environmentId, kind } = before
      const name = change.name ?? before.name
      const config = change.config
        ? checkConfig(kind, change.config, ctx.services.config.privatePlatforms)
        : before.config
      const { secret } = change
      if (secret !== undefined) checkSecret(kind, secret)
      else if (originOf(config) !== originOf(before.config)) throw invalid(secretNeeded)
      const changes = changesOf(before, { name, config })
      if (changes.length === 0 && secret === undefined) return before
      const version = await nextVersion(tx, environmentId, name)
      const stored = await storeCredential(tx, id, { name, config, version }, ctx.now)
      const after = secret === undefined ? stored : await storeSealed(tx, ctx, id, { secret, version })
      await recordAudit(tx, ctx, 'credential.updated', {
        resource: { type: 'credential', id, name },
        details: { changes, version, ...(secret !== undefined && { secret_replaced: true }) },
        environmentId,
      })
      const told = { id, environmentId, at: ctx.now }
      if (name !== before.name) await recordCredentialVersion(tx, told, { name: before.name, version: null })
      await recordCredentialVersion(tx, told, { name, version })
      return after
    })
  } catch (error) {
    throw brokenConstraint(error) ? conflict(nameTakenText) : error
  }
}

const secretNeeded =
  'secret is required if config.token_url names another server, because the stored secret is not sent there'

/** The server that gets the secret from edges, if the settings name it. */
function originOf({ token_url }: CredentialConfig): string | undefined {
  return token_url === undefined ? undefined : new URL(token_url).origin
}

function changesOf(before: Credential, after: Pick<Credential, 'name' | 'config'>) {
  return (['name', 'config'] as const)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}

/** Throws the 404 of a change of a credential, if the body is malformed. */
export async function refuseUnknown(ctx: Ctx<Member>, id: string): Promise<void> {
  if (!(await findCredential(ctx.sql, ctx.actor, id))) throw notFound('credential')
}

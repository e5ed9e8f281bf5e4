import { isDeepStrictEqual } from 'node:util'
import type { Credential, CredentialChange } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { brokenConstraint } from '../../db/database.ts'
import { recordCredentialVersion } from '../../events/credential-events.ts'
import { conflict, notFound } from '../../refusal.ts'
import { nameTakenText } from './create-credential.ts'
import { findCredential, lockCredential, nextVersion, storeCredential } from './queries.ts'
import { checkConfig } from './rules.ts'

/**
 * Changes the name or the settings of a credential.
 * @throws 404; 400 for settings that the kind does not accept; 409 if the name is taken
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
      const changes = changesOf(before, { name, config })
      if (changes.length === 0) return before
      const version = await nextVersion(tx, environmentId, name)
      const after = await storeCredential(tx, id, { name, config, version }, ctx.now)
      await recordAudit(tx, ctx, 'credential.updated', {
        resource: { type: 'credential', id, name },
        details: { changes, version },
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

function changesOf(before: Credential, after: Pick<Credential, 'name' | 'config'>) {
  return (['name', 'config'] as const)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}

/** Throws the 404 of a change of a credential, if the body is malformed. */
export async function refuseUnknown(ctx: Ctx<Member>, id: string): Promise<void> {
  if (!(await findCredential(ctx.sql, ctx.actor, id))) throw notFound('credential')
}

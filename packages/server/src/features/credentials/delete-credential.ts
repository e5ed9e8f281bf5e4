import type { Credential } from '@mandate/contract/credentials'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Tx } from '../../db/database.ts'
import { recordCredentialVersion } from '../../events/credential-events.ts'
import { conflict, notFound } from '../../refusal.ts'
import { deleteCredentialRow, deleteCredentialRows, lockForDeletion } from './queries.ts'
import { findServersSince } from './use-queries.ts'

const dayMs = 86_400_000
/** The 409 names at most this many servers. */
const mostNamed = 20

/**
 * Deletes a credential and its secret.
 * @throws 404; 409 with the names of the servers if edges fetched it in the last 24 hours, unless `force`
 */
export async function deleteCredential(ctx: Ctx<Member>, id: string, force: boolean): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const credential = await lockForDeletion(tx, ctx.actor, id)
    if (!credential) throw notFound('credential')
    const since = new Date(Date.parse(ctx.now) - dayMs).toISOString()
    const servers = await findServersSince(tx, id, since, mostNamed + 1)
    if (servers.length > 0 && !force) throw conflict(inUseText(servers))
    await deleteCredentialRow(tx, id)
    await recordDeletion(tx, ctx, credential, { servers: servers.slice(0, mostNamed) })
  })
}

function inUseText(servers: readonly string[]): string {
  const named = servers
    .slice(0, mostNamed)
    .map((server) => server || 'a server without a name')
    .join(', ')
  const more = servers.length > mostNamed ? ' and others' : ''
  return `these servers used the credential in the last 24 hours: ${named}${more}; to delete it anyway, set force=true`
}

/** Deletes the credentials of an environment that is deleted. */
export async function deleteCredentialsIn(tx: Tx, ctx: Ctx<Member>, environmentId: string): Promise<void> {
  for (const credential of await deleteCredentialRows(tx, environmentId)) await recordDeletion(tx, ctx, credential, {})
}

async function recordDeletion(
  tx: Tx,
  ctx: Ctx<Member>,
  { id, name, kind, environment_id: environmentId }: Credential,
  details: { servers?: string[] },
): Promise<void> {
  await recordAudit(tx, ctx, 'credential.deleted', {
    resource: { type: 'credential', id, name },
    details: { kind, environment_id: environmentId, ...details },
    environmentId,
  })
  await recordCredentialVersion(tx, { id, environmentId, at: ctx.now }, { name, version: null })
}

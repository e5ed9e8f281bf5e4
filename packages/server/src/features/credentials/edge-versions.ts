import type { CredentialVersion } from '@mandate/contract/credentials'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { findVersions } from './queries.ts'

/** Returns the versions of the credentials that the caller may fetch. Returns undefined if the environment never had one, and for the own key of an agent. */
export async function versionsForEdge({ actor, sql }: Ctx<EdgeActor>): Promise<CredentialVersion[] | undefined> {
  return actor.kind === 'edge' ? await findVersions(sql, actor.environmentId) : undefined
}

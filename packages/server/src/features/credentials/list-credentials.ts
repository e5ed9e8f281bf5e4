import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { findCredentials } from './queries.ts'
import { credentialMay } from './rules.ts'

interface Listed {
  environment_id?: string | undefined
  include?: Include
  limit: number
  offset: number
}

/** Returns the credentials of the environments that the caller has access to, without their secrets. */
export async function listCredentials(ctx: Ctx<Member>, { environment_id, include, limit, offset }: Listed) {
  const { credentials, total } = await findCredentials(ctx.sql, ctx.actor, environment_id, { limit, offset })
  return { data: await credentialMay.addToAll(ctx, include, credentials), total, limit, offset }
}

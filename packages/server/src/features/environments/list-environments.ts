import type { Environment } from '@mandate/contract/environments'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { Include } from '../../caller/may-part.ts'
import { notFound } from '../../refusal.ts'
import { findEnvironment, findEnvironments } from './queries.ts'
import { environmentMay } from './rules.ts'

interface Listed {
  include?: Include
  limit: number
  offset: number
}

/**
 * Returns the environments that the caller sees. A scoped user sees the environments that they have access to. An
 * environment-bound key sees only its own environment.
 */
export async function listEnvironments(ctx: Ctx<Member>, { include, limit, offset }: Listed) {
  const { environments, total } = await findEnvironments(ctx.sql, ctx.actor, limit, offset)
  return { data: await environmentMay.addToAll(ctx, include, environments), total, limit, offset }
}

/** @throws 404 for an unknown id, and the same 404 for an environment that the caller does not see */
export async function getEnvironment(ctx: Ctx<Member>, id: string, include?: Include): Promise<Environment> {
  const environment = await findEnvironment(ctx.sql, ctx.actor, id)
  if (!environment) throw notFound('environment')
  return await environmentMay.addTo(ctx, include, environment)
}

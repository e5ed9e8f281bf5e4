import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { type EnvironmentRow, findEnvironment, findEnvironments } from './queries.ts'

/**
 * Returns the environments that the caller sees. A scoped user sees the environments that they have access to. An
 * environment-bound key sees only its own environment.
 */
export async function listEnvironments(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  const { environments, total } = await findEnvironments(ctx.sql, ctx.actor, limit, offset)
  return { data: environments, total, limit, offset }
}

/** @throws 404 for an unknown id, and the same 404 for an environment that the caller does not see */
export async function getEnvironment(ctx: Ctx<Member>, id: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment(ctx.sql, ctx.actor, id)
  if (!environment) throw notFound('environment')
  return environment
}

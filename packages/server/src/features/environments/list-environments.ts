import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { notFound } from '../../refusal.ts'
import { type EnvironmentRow, findEnvironment, findEnvironments } from './queries.ts'

/** Those the caller sees: a scoped user the ones they have access to, an environment-bound key its own. */
export async function listEnvironments(ctx: Ctx<Member>, { limit, offset }: { limit: number; offset: number }) {
  const { environments, total } = await findEnvironments(ctx.sql, ctx.actor, limit, offset)
  return { data: environments, total, limit, offset }
}

/** 404 for one the caller does not see, as for an unknown id. */
export async function getEnvironment(ctx: Ctx<Member>, id: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment(ctx.sql, ctx.actor, id)
  if (!environment) throw notFound('environment')
  return environment
}

import type { Via } from '@mandate/contract/auth'
import type { Tenant } from '@mandate/contract/tenants'
import type { User } from '@mandate/contract/users'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { notFound } from '../../refusal.ts'
import { getOwnTenant } from '../tenants/get-tenant.ts'
import { toWireUser } from '../users/wire-user.ts'
import { findEnvironment, findUser } from './queries.ts'

/** Who the caller is and through what. 404 only when they were removed while the request was in flight. */
export async function getSession(ctx: Ctx<Member>): Promise<{ user: User; tenant: Tenant; via: Via }> {
  const [user, tenant, via] = await Promise.all([findUser(ctx.sql, ctx.actor.userId), getOwnTenant(ctx), viaOf(ctx)])
  if (!user) throw notFound('user')
  return { user: toWireUser(user), tenant, via }
}

async function viaOf(ctx: Ctx<Member>): Promise<Via> {
  const { key } = ctx.actor
  if (!key) return { type: 'session' }
  const { id, prefix, environmentId } = key
  const environment = environmentId === null ? null : ((await findEnvironment(ctx.sql, environmentId)) ?? null)
  return { type: 'api_key', id, prefix, environment, scopes: [...key.scopes] }
}

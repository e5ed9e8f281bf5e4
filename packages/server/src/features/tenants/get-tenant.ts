import type { Tenant } from '@mandate/contract/tenants'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { findTenant } from './queries.ts'

/** Returns the caller's own tenant. @throws 404 if it was deleted during the request */
export async function getOwnTenant(ctx: Ctx<Member>): Promise<Tenant> {
  const tenant = await findTenant(ctx.sql, ctx.actor.tenantId)
  if (!tenant) throw notFound('tenant')
  return tenant as Tenant
}

/** Returns the caller's tenant by its id. @throws 403 for any other id, whether the tenant exists or not */
export async function getTenant(ctx: Ctx<Member>, id: string): Promise<Tenant> {
  requireOwnTenant(ctx, id)
  return await getOwnTenant(ctx)
}

export function requireOwnTenant(ctx: Ctx<Member>, id: string): void {
  if (id !== ctx.actor.tenantId) throw forbidden('you can only access your own organization')
}

import type { Tenant } from '@mandate/contract/tenants'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { forbidden, notFound } from '../../refusal.ts'
import { findTenant } from './queries.ts'

/** The caller's own tenant. 404 only when it was deleted while the request was in flight. */
export async function getOwnTenant(ctx: Ctx<Member>): Promise<Tenant> {
  const tenant = await findTenant(ctx.sql, ctx.actor.tenantId)
  if (!tenant) throw notFound('tenant')
  return tenant as Tenant
}

/** The caller's tenant by id; another tenant's id is 403, whether it exists or not. */
export async function getTenant(ctx: Ctx<Member>, id: string): Promise<Tenant> {
  requireOwnTenant(ctx, id)
  return await getOwnTenant(ctx)
}

export function requireOwnTenant(ctx: Ctx<Member>, id: string): void {
  if (id !== ctx.actor.tenantId) throw forbidden('this is another tenant')
}

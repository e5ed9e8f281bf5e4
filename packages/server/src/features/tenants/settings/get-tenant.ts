import type { Tenant } from '@mandate/contract/tenants'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Include } from '../../../caller/may-part.ts'
import { notFound, throwIfRefused } from '../../../refusal.ts'
import { findTenant } from '../queries.ts'
import { otherTenantRefusal, tenantMay } from '../rules.ts'
import { findTenantDetails } from './tenant-details.ts'

/** Returns the caller's own tenant. @throws 404 if it was deleted during the request */
export async function getOwnTenant(ctx: Ctx<Member>, include?: Include): Promise<Tenant> {
  const [tenant, details] = await Promise.all([findTenant(ctx.sql, ctx.actor.tenantId), findTenantDetails(ctx.sql)])
  if (!tenant || !details) throw notFound('tenant')
  return await tenantMay.addTo(ctx, include, { ...(tenant as Tenant), ...details })
}

/** Returns the caller's tenant by its id. @throws 403 for any other id, whether the tenant exists or not */
export async function getTenant(ctx: Ctx<Member>, id: string, include?: Include): Promise<Tenant> {
  requireOwnTenant(ctx, id)
  return await getOwnTenant(ctx, include)
}

export function requireOwnTenant(ctx: Ctx<Member>, id: string): void {
  throwIfRefused(otherTenantRefusal(ctx.actor, id))
}

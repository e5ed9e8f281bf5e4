import { tenantEndpoints as endpoints } from '@mandate/contract/tenants'
import { on } from '../../http/route.ts'
import { getOwnTenant, getTenant } from './get-tenant.ts'

export const tenantRoutes = [
  on(endpoints.getOwnTenant, async (ctx) => ({ tenant: await getOwnTenant(ctx) })),
  on(endpoints.getTenant, (ctx, { params }) => getTenant(ctx, params.id)),
]

import { tenantEndpoints as endpoints } from '@mandate/contract/tenants'
import { on } from '../../http/routes/route.ts'
import { deleteTenant, requireMayDeleteTenant } from './deletion/delete-tenant.ts'
import { inviteLearner, requireMayInviteLearner } from './invitations/invite-learner.ts'
import { inviteUser, requireMayInvite } from './invitations/invite-user.ts'
import { getOwnTenant, getTenant } from './settings/get-tenant.ts'
import { getGovernanceGate, requireMaySetGate, setGovernanceGate } from './settings/governance-gate.ts'
import { requireMayChangeTenant, updateTenant } from './settings/update-tenant.ts'

const fieldOf = (rawBody: unknown, field: string) => (rawBody as Record<string, unknown> | null | undefined)?.[field]

export const tenantRoutes = [
  on(endpoints.getOwnTenant, async (ctx, { query }) => ({ tenant: await getOwnTenant(ctx, query.include) })),
  on(endpoints.getTenant, (ctx, { params, query }) => getTenant(ctx, params.id, query.include)),
  on(endpoints.updateTenant, (ctx, { params, body }) => updateTenant(ctx, params.id, body), {
    beforeBadBody: async (ctx, params) => requireMayChangeTenant(ctx, params.id),
  }),
  on(endpoints.deleteTenant, (ctx, { params, body }) => deleteTenant(ctx, params.id, body.confirm), {
    beforeBadBody: async (ctx, params) => requireMayDeleteTenant(ctx, params.id),
  }),
  on(endpoints.inviteUser, (ctx, { params, body }) => inviteUser(ctx, params.id, body), {
    beforeBadBody: async (ctx, params, rawBody) =>
      requireMayInvite(ctx, params.id, { role: fieldOf(rawBody, 'role'), read_only: fieldOf(rawBody, 'read_only') }),
  }),
  on(endpoints.inviteLearner, (ctx, { body }) => inviteLearner(ctx, body), {
    beforeBadBody: async (ctx) => requireMayInviteLearner(ctx),
  }),
  on(endpoints.getGovernanceGate, (ctx) => getGovernanceGate(ctx)),
  on(endpoints.setGovernanceGate, (ctx, { body }) => setGovernanceGate(ctx, body.gate), {
    beforeBadBody: async (ctx) => requireMaySetGate(ctx),
  }),
]

import { z } from 'zod'
import { viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { email, name, oneOf, text, timestamp, uuid } from './fields.ts'
import { roles } from './roles.ts'

export const governanceGates = ['off', 'alert', 'enforce'] as const
export const plans = ['free', 'pro', 'enterprise'] as const

export const Tenant = z
  .object({
    id: uuid,
    name: z.string(),
    plan: oneOf(plans),
    governance_gate: oneOf(governanceGates),
    saml_enabled: z.boolean(),
    saml_email_domain: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'Tenant' })
export type Tenant = z.output<typeof Tenant>

export const Invited = z
  .object({ user_id: uuid, tenant_id: uuid, email: z.string(), role: oneOf(roles), message: z.string() })
  .meta({ id: 'Invited' })

const tenantParams = z.object({ id: uuid })
const tag = 'Tenants'

export const tenantEndpoints = {
  getOwnTenant: endpoint({
    method: 'GET',
    path: '/tenants',
    tag,
    summary: "Read the caller's tenant",
    access: viewer,
    answers: { 200: z.object({ tenant: Tenant }) },
    errors: [404],
  }),
  getTenant: endpoint({
    method: 'GET',
    path: '/tenants/{id}',
    tag,
    summary: 'Read a tenant',
    access: viewer,
    params: tenantParams,
    answers: { 200: Tenant },
    errors: [400, 403, 404],
  }),
  updateTenant: endpoint({
    method: 'PUT',
    path: '/tenants/{id}',
    tag,
    summary: "Change the tenant's name or SAML sign-in",
    access: viewer,
    liveSession: true,
    params: tenantParams,
    body: z.object({
      name: name({ max: 200 }).optional(),
      saml_enabled: z.boolean().optional(),
      saml_entity_id: text({ max: 2048 }).optional(),
      saml_sso_url: text({ max: 2048 }).optional(),
      saml_certificate: text({ max: 20_000 }).optional(),
      saml_email_domain: text({ max: 253 }).optional(),
      saml_provider_id: text({ max: 200 }).optional(),
    }),
    answers: { 200: Tenant },
    errors: [400, 402, 403, 404, 409],
    codes: ['plan_upgrade_required'],
  }),
  deleteTenant: endpoint({
    method: 'DELETE',
    path: '/tenants/{id}',
    tag,
    summary: 'Delete the tenant',
    description: 'The body confirms with the tenant’s exact name.',
    access: viewer,
    params: tenantParams,
    body: z.object({ confirm: text({ max: 400 }) }),
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  inviteUser: endpoint({
    method: 'POST',
    path: '/tenants/{id}/invite',
    tag,
    summary: 'Invite a person to the tenant',
    access: viewer,
    liveSession: true,
    params: tenantParams,
    body: z.object({ email, role: oneOf(roles) }),
    answers: { 202: Invited },
    errors: [400, 403, 409],
    codes: ['academy_learner_exists', 'already_member'],
  }),
  inviteLearner: endpoint({
    method: 'POST',
    path: '/academy/invitations',
    tag: 'Academy',
    summary: 'Invite a person to the training product only',
    access: viewer,
    liveSession: true,
    body: z.object({ email }),
    answers: { 202: Invited },
    errors: [400, 403, 409],
    codes: ['already_member'],
  }),
  getGovernanceGate: endpoint({
    method: 'GET',
    path: '/governance-gate',
    tag,
    summary: 'Read the governance gate',
    access: viewer,
    answers: { 200: z.object({ gate: oneOf(governanceGates) }) },
    errors: [],
  }),
  setGovernanceGate: endpoint({
    method: 'PUT',
    path: '/governance-gate',
    tag,
    summary: 'Set the governance gate',
    access: viewer,
    body: z.object({ gate: oneOf(governanceGates) }),
    answers: { 200: z.object({ gate: oneOf(governanceGates) }) },
    errors: [400, 403],
  }),
}

import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { email, name, oneOf, text, uuid } from './fields/fields.ts'
import { createdAt, includeMay, mayFields, tenantId } from './fields/shared-fields.ts'
import { roles } from './words/roles.ts'

export const governanceGates = ['off', 'alert', 'enforce'] as const
/** For how many days decisions can be kept. */
export const decisionRetentions = [30, 90, 400, 800] as const
export const longestRetentionDays = Math.max(...decisionRetentions)
export const plans = ['free', 'pro', 'enterprise'] as const

const governanceGate = oneOf(governanceGates).describe(
  '`off`: new agents are `approved`. `alert`: they are `proposed` and may act. `enforce`: they are `proposed` and denied everything until they are approved.',
)

const samlTextFields = [
  'saml_entity_id',
  'saml_sso_url',
  'saml_certificate',
  'saml_email_domain',
  'saml_provider_id',
] as const

export const Tenant = z
  .object({
    id: tenantId,
    name: z.string().describe('Name of the organization, 1 to 200 characters.'),
    plan: oneOf(plans).describe('Plan of the tenant. It decides features and the number of seats.'),
    governance_gate: oneOf(governanceGates).describe(
      'Lifecycle status of new agents: `approved` for `off`, `proposed` for `alert` and `enforce`. Under `enforce` an agent that is not approved is denied everything.',
    ),
    saml_enabled: z.boolean().describe('True if people sign in with SAML.'),
    saml_email_domain: z
      .string()
      .describe('Domain of the addresses that sign in with SAML, in lower case. Empty if it is not set.'),
    decision_retention_days: z
      .int()
      .describe(
        'For how many days decisions are kept that arrive now: 30, 90, 400 or 800. Counts of them are kept longer.',
      ),
    created_at: createdAt,
    seats: z
      .object({
        max: z.int().nullable().describe('Number of seats of the plan. Null means no limit.'),
        used: z
          .int()
          .describe(
            'Number of seats that are taken, including those of open invitations. 10,000 means 10,000 or more.',
          ),
        invited: z.int().describe('Number of seats that are taken by open invitations.'),
      })
      .optional()
      .describe(
        'Seats of the organization. Learners take none. Absent for a learner, in the answer of a registration, and in `GET /auth/session` with an API key without `include=seats`.',
      ),
    saml_configured: z
      .array(oneOf(samlTextFields))
      .optional()
      .describe('SAML settings that have a value. Their values are not returned. Absent where `seats` is absent.'),
    ...mayFields,
  })
  .meta({
    id: 'Tenant',
    description: 'An organization. Every user, agent, key and policy belongs to exactly one tenant.',
  })
export type Tenant = z.output<typeof Tenant>

export const Invited = z
  .object({
    user_id: uuid.describe('Id of the invited user.'),
    tenant_id: tenantId,
    email: z.string().describe('Address that was invited.'),
    role: oneOf(roles).describe('Role that the user gets on joining.'),
    read_only: z.boolean().describe('True if the user may not make changes after joining.'),
    message: z.string().describe('Text for the person who invited.'),
    mail_delivery: oneOf(['mail_server', 'folder']).describe(
      'What happens to the mail with the link. `mail_server`: the server hands it to its mail server. `folder`: no mail server is set, so the server writes the mail into the folder `mail` of its data folder. The link is in no response, because it is a secret of the invited person.',
    ),
  })
  .meta({ id: 'Invited', description: 'An invitation that was created or renewed.' })

const tenantParams = z.object({ id: tenantId })
const tag = 'Tenants'

export const tenantEndpoints = {
  getOwnTenant: endpoint({
    method: 'GET',
    path: '/tenants',
    tag,
    summary: 'Read the tenant of the caller',
    description: 'Every user of the tenant may read it. 404 if the tenant was deleted in the meantime.',
    access: viewer,
    query: z.object({ include: includeMay }),
    answers: { 200: z.object({ tenant: Tenant.describe('The tenant of the caller.') }) },
    errors: [400, 404],
  }),
  getTenant: endpoint({
    method: 'GET',
    path: '/tenants/{id}',
    tag,
    summary: 'Read a tenant',
    description: "The id must be that of the caller's tenant. Any other id is 403.",
    access: viewer,
    params: tenantParams,
    query: z.object({ include: includeMay }),
    answers: { 200: Tenant },
    errors: [400, 403, 404],
  }),
  updateTenant: endpoint({
    method: 'PUT',
    path: '/tenants/{id}',
    tag,
    summary: 'Change the name or the SAML sign-in of the tenant',
    description:
      'Only for owners. A field that is left out stays unchanged. SAML needs the plan `enterprise` (402 otherwise) and every `saml_*` field set (400 otherwise). Switching SAML off needs no plan.',
    access: viewer,
    liveSession: true,
    params: tenantParams,
    body: z.object({
      name: name({ max: 200 }).optional().describe('Name of the organization, trimmed, 1 to 200 characters.'),
      decision_retention_days: z
        .literal(decisionRetentions, { error: `must be one of ${decisionRetentions.join(', ')}` })
        .optional()
        .describe('For how many days decisions are kept that arrive from now on: 30, 90, 400 or 800.'),
      saml_enabled: z.boolean().optional().describe('True switches SAML sign-in on.'),
      saml_entity_id: text({ max: 2048 })
        .optional()
        .describe('Entity id of the identity provider. It is never returned.'),
      saml_sso_url: text({ max: 2048 })
        .optional()
        .describe("Address of the identity provider's sign-in service. It is never returned."),
      saml_certificate: text({ max: 20_000 })
        .optional()
        .describe(
          'X.509 certificate of the identity provider with an RSA key, in PEM or as base64 like in metadata. Up to four certificates in PEM, one after the other, if the provider changes its key. It is never returned.',
        ),
      saml_email_domain: text({ max: 253 })
        .optional()
        .describe(
          'Domain of the addresses that sign in with SAML. It is stored trimmed and in lower case. An empty string clears it.',
        ),
      saml_provider_id: text({ max: 200 })
        .optional()
        .describe(
          'Provider id for the sign-in routes, with or without the prefix `saml.`. It is never returned. An empty string clears it.',
        ),
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
    description: 'Only for owners. The body confirms the deletion with the exact name of the tenant.',
    access: viewer,
    params: tenantParams,
    body: z.object({ confirm: text({ max: 400 }).describe('Exact name of the tenant.') }),
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  inviteUser: endpoint({
    method: 'POST',
    path: '/tenants/{id}/invite',
    tag,
    summary: 'Invite a person to the tenant',
    description:
      'For managers and owners. Only an owner invites an owner. The invitation takes a seat at once. 202 does not mean that the mail was delivered. Inviting a pending address again renews the invitation.',
    access: viewer,
    liveSession: true,
    params: tenantParams,
    body: z.object({
      email: email.describe('Address to invite, trimmed.'),
      role: oneOf(roles).describe('Role that the user gets on joining.'),
      read_only: z
        .boolean()
        .optional()
        .describe(
          'True if the user may not make changes. Only an owner may send this field. If it is left out, a new invitation has false, and a renewed invitation keeps its value.',
        ),
    }),
    answers: { 202: Invited },
    errors: [400, 403, 409],
    codes: ['academy_learner_exists', 'already_member'],
  }),
  inviteLearner: endpoint({
    method: 'POST',
    path: '/academy/invitations',
    tag: 'Academy',
    summary: 'Invite a person to the training product only',
    description: 'For managers and owners. A learner takes no seat.',
    access: viewer,
    liveSession: true,
    body: z.object({ email: email.describe('Address to invite, trimmed.') }),
    answers: { 202: Invited },
    errors: [400, 403, 409],
    codes: ['already_member'],
  }),
  getGovernanceGate: endpoint({
    method: 'GET',
    path: '/governance-gate',
    tag,
    summary: 'Read the governance gate',
    description: 'The gate decides the lifecycle status of new agents.',
    access: viewer,
    answers: { 200: z.object({ gate: governanceGate }) },
    errors: [],
  }),
  setGovernanceGate: endpoint({
    method: 'PUT',
    path: '/governance-gate',
    tag,
    summary: 'Set the governance gate',
    description: 'Only for owners. Agents that exist keep their lifecycle status.',
    access: viewer,
    body: z.object({ gate: governanceGate }),
    answers: { 200: z.object({ gate: governanceGate }) },
    errors: [400, 403],
  }),
}

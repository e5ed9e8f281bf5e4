import { z } from 'zod'
import { anyUser, personally, viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeNames } from './endpoint/names.ts'
import { booleanParam, limit, offset, oneOf, page, sortParam, text, timestamp, uuid } from './fields/fields.ts'
import { include } from './fields/include.ts'
import { createdAt, environmentId, includeTexts, mayFields, tenantId, userId } from './fields/shared-fields.ts'
import { accessScopes, roles } from './words/roles.ts'

const ofAccess = 'Only with `include=access`, and for managers and owners.'

const includeUserParts = include(
  ['access', 'may'],
  `\`access\` adds \`agents\`, \`environments\` and \`invitation\` for managers and owners. ${includeTexts.may}`,
)

export const User = z
  .object({
    id: userId,
    tenant_id: tenantId,
    email: z.string().meta({ format: 'idn-email' }).describe('Address of the user.'),
    display_name: z
      .string()
      .describe('Name of the user, at most 200 characters. It is on Academy certificates too. It may be empty.'),
    role: oneOf(roles).describe('Role of the user in the tenant.'),
    status: oneOf(['pending', 'active']).describe(
      '`pending`: an invitation that nobody has accepted. `active`: the person has joined.',
    ),
    academy_only: z.boolean().describe('True for a learner: a user of the training product only, who takes no seat.'),
    mfa_enrolled: z.boolean().describe('True if the user has a second factor.'),
    factors: z
      .array(oneOf(['totp', 'passkey']))
      .describe(
        'Kinds of second factors that the user has: `totp`, `passkey`. Empty if the user has no second factor.',
      ),
    federated: z
      .boolean()
      .describe(
        'True if the person can sign in with Google or with the SAML provider of the tenant. The provider may ask for a second factor, which Mandate does not see. If the person also has a password, it still works.',
      ),
    access_scope: oneOf(accessScopes).describe(
      '`all`: the user sees the whole tenant. `scoped`: only granted agents and accessible environments. An owner is never scoped.',
    ),
    read_only: z
      .boolean()
      .describe(
        'True if the user cannot make changes: the user sees what the role sees, and may change their own sign-in and display name. This is true for their API keys too.',
      ),
    last_active_at: timestamp.optional().describe('When the user last sent a request. Absent before the first one.'),
    created_at: createdAt,
    agents: z
      .int()
      .nullable()
      .optional()
      .describe(
        `${ofAccess} Number of agents that are granted to the user; only agents that the caller sees are counted. 10,000 means 10,000 or more. Null for a user who sees the whole tenant.`,
      ),
    environments: z
      .int()
      .nullable()
      .optional()
      .describe(
        `${ofAccess} Number of environments that the user has access to; only environments that the caller sees are counted. Null for a user who sees the whole tenant.`,
      ),
    invitation: z
      .object({
        sent_at: timestamp.describe('When the invitation was last sent.'),
        expires_at: timestamp.describe('Until when the link in the mail works.'),
      })
      .nullable()
      .optional()
      .describe(`${ofAccess} The invitation that the user has not accepted. Null for a user who has joined.`),
    ...mayFields,
  })
  .meta({
    id: 'User',
    description: 'A person in a tenant, with a role. An invitation is a user with the status `pending`.',
  })
export type User = z.output<typeof User>

export const ResourceGrant = z
  .object({
    id: uuid.describe('Id of the grant, to revoke it.'),
    resource_type: z.literal('agent').describe('Kind of the resource: always `agent`.'),
    resource_id: uuid.describe('Id of the agent that the user sees.'),
    created_at: createdAt,
  })
  .meta({ id: 'ResourceGrant', description: 'Lets a scoped user see one agent.' })

export const EnvironmentAccess = z
  .object({
    id: uuid.describe('Id of the access entry, to revoke it. It is not the id of the environment.'),
    environment_id: environmentId,
    environment_name: z.string().describe('Name of the environment.'),
    environment_slug: z.string().describe('Slug of the environment.'),
    created_at: createdAt,
  })
  .meta({ id: 'EnvironmentAccess', description: 'Gives a user access to one environment.' })

export const RemovalPreview = z
  .object({
    api_keys: z
      .object({
        count: z.int().describe('Number of keys that work now.'),
        last_used_at: timestamp.optional().describe('When one of them was last used. Absent if none was used.'),
      })
      .describe('API keys that would stop working.'),
    agents_owned: z
      .int()
      .describe('Number of agents that the user owns and that are not archived. They stay without an owner.'),
    open_reviews: z.int().describe('Number of pending reviews that the user asked for.'),
  })
  .meta({ id: 'RemovalPreview', description: 'What stops working when a user is removed.' })

/** Accepts NUL, because the server removes control characters later. The length limit applies after that. */
const displayName = z
  .string()
  .max(10_000, 'must be at most 10000 characters')
  .refine((value) => value.isWellFormed(), { error: 'must not contain unpaired surrogates' })
  .meta({ description: 'At most 200 characters once cleaned.' })

const userParams = z.object({ user_id: userId })
const tag = 'Users'

export const userEndpoints = {
  listUsers: endpoint({
    method: 'GET',
    path: '/users',
    tag,
    summary: 'List the users of the tenant',
    description: 'Every user of the tenant may list. Invitations (`status` `pending`) and learners are in the list.',
    access: viewer,
    query: z.object({
      search: text({ max: 400 })
        .optional()
        .describe('Only users with this text in display name or address. Upper and lower case are the same.'),
      sort_by: sortParam(['name', 'email', 'created_at'], 'created_at').describe(
        'Field to sort by. Another value counts as `created_at`.',
      ),
      sort_order: sortParam(['asc', 'desc'], 'desc').describe(
        'Ascending or descending. Another value counts as `desc`.',
      ),
      status: oneOf(['pending', 'active']).optional().describe('Only invitations, or only users who have joined.'),
      academy_only: booleanParam.describe('Only learners (`true`), or only users with a seat (`false`).'),
      mfa_enrolled: booleanParam.describe('Only users with a second factor (`true`), or without one (`false`).'),
      federated: booleanParam.describe(
        'Only users who can sign in with Google or with the SAML provider of the tenant (`true`), or only other users (`false`). `mfa_enrolled=false&federated=false` selects users without a second factor and without a provider that may ask for one.',
      ),
      limit: limit(),
      offset,
      include: includeUserParts,
    }),
    answers: { 200: page(User) },
    errors: [400],
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    tag,
    summary: 'Read a user',
    description: 'Every user of the tenant may read every user. A learner reads only their own record.',
    access: anyUser,
    params: userParams,
    query: z.object({ include: includeUserParts }),
    answers: { 200: User },
    errors: [400, 403, 404],
  }),
  updateUser: endpoint({
    method: 'PUT',
    path: '/users/{user_id}',
    tag,
    summary: 'Change a display name or a role, or (only an owner) whether a user is read-only',
    description:
      'A field that is left out stays unchanged. Everyone may change their own display name. A manager may change the display name and role of users who are not owners. An owner may change the display name, the role and `read_only` of every user. A new role ends the sessions of the user. 409 if no owner would be left who can make changes.',
    access: anyUser,
    liveSession: true,
    params: userParams,
    body: z.object({
      display_name: displayName
        .optional()
        .describe(
          'Name to show, at most 200 characters once cleaned. Cleaning drops control characters and joins white space.',
        ),
      role: oneOf(roles).optional().describe('Role to give. Only an owner makes an owner.'),
      read_only: z
        .boolean()
        .optional()
        .describe(
          'True sets, and false removes, that the user cannot make changes. Only an owner may send this field. The organization keeps an owner who is not read-only.',
        ),
    }),
    answers: { 200: User },
    errors: [400, 403, 404, 409],
    codes: ['academy_only_user'],
  }),
  removeUser: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}',
    tag,
    summary: 'Remove a user or withdraw an invitation',
    description:
      'Only for owners. The API keys of the user are deleted. Reports stay. Removing oneself or the last owner is 400.',
    access: viewer,
    params: userParams,
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  removeMyself: endpoint({
    method: 'DELETE',
    path: '/users/me',
    tag,
    summary: 'Leave the tenant and delete the account',
    description:
      'Deletes the user of the caller and the account behind it. 409 for the last owner of a tenant with other users.',
    access: personally,
    answers: { 204: null },
    errors: [403, 409],
  }),
  previewRemoval: endpoint({
    method: 'GET',
    path: '/users/{user_id}/removal-preview',
    tag,
    summary: 'Preview the removal of a user',
    description: 'Only for owners. Reading changes nothing.',
    access: viewer,
    params: userParams,
    answers: { 200: RemovalPreview },
    errors: [400, 403, 404],
  }),
  resetMfa: endpoint({
    method: 'POST',
    path: '/users/{user_id}/reset-mfa',
    tag,
    summary: 'Clear the second factors of a user',
    description:
      'Ends the sessions of the user, who gets a mail. An owner resets the factors of every other user, a manager those of members and viewers. 502 if the factors could not be cleared; nothing changed then.',
    access: viewer,
    liveSession: true,
    params: userParams,
    answers: { 200: User },
    errors: [400, 403, 404, 502],
  }),
  revokeUserSessions: endpoint({
    method: 'POST',
    path: '/users/{user_id}/revoke-sessions',
    tag,
    summary: 'End the sessions of a user',
    description:
      'Every refresh token of the user stops working at once, and the user must sign in again. Access tokens can still read until they expire, for at most 15 minutes. API keys of the user keep working. An owner ends the sessions of every other user, a manager those of members and viewers. A pending invitation has no sessions: the answer is 204, and nothing is changed.',
    access: viewer,
    liveSession: true,
    params: userParams,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  grantPlatformAccess: endpoint({
    method: 'POST',
    path: '/users/{user_id}/platform-access',
    tag,
    summary: 'Give an Academy learner a platform seat',
    description:
      'For managers and owners. The learner becomes a user with a seat and this role. 409 with the code `seat_limit_reached` without a free seat. 400 for a pending invitation and for a user who is not a learner.',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({
      role: oneOf(['viewer', 'manager', 'member']).describe('Role to give. A learner cannot become an owner.'),
    }),
    answers: { 200: User },
    errors: [400, 403, 404, 409],
    codes: ['seat_limit_reached', 'academy_only_account'],
  }),
  setAccessScope: endpoint({
    method: 'PUT',
    path: '/users/{user_id}/access-scope',
    tag,
    summary: 'Set whether a user sees the whole tenant',
    description:
      'For managers and owners. `all` removes the agent grants of the user and keeps the environment access. An owner always has `all`.',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ access_scope: oneOf(accessScopes).describe('Access scope to set.') }),
    answers: { 200: User },
    errors: [400, 403, 404],
  }),
  listGrants: endpoint({
    method: 'GET',
    path: '/users/{user_id}/grants',
    tag,
    summary: 'List the agents granted to a user',
    description: 'For managers, owners and the user themselves. A scoped caller sees grants of agents that they see.',
    access: viewer,
    params: userParams,
    query: z.object({ include: includeNames }),
    answers: { 200: z.object({ grants: z.array(ResourceGrant).describe('Grants of the user.') }) },
    errors: [400, 403, 404],
  }),
  createGrant: endpoint({
    method: 'POST',
    path: '/users/{user_id}/grants',
    tag,
    summary: 'Grant an agent to a user',
    description:
      'For managers and owners. An existing grant is answered with 200 and nothing is written. A grant matters only for a scoped user.',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({
      resource_type: oneOf(['agent']).describe('Kind of the resource: always `agent`.'),
      resource_id: uuid.describe('Id of the agent to grant.'),
    }),
    answers: { 201: ResourceGrant, 200: ResourceGrant },
    errors: [400, 403, 404],
  }),
  revokeGrant: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}/grants/{grant_id}',
    tag,
    summary: 'Revoke a grant',
    description: 'For managers and owners. 404 for a grant of another user.',
    access: viewer,
    params: z.object({ user_id: userId, grant_id: uuid.describe('Id of the grant.') }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  listEnvironmentAccess: endpoint({
    method: 'GET',
    path: '/users/{user_id}/environment-access',
    tag,
    summary: 'List the environments a user works in',
    description:
      'For managers, owners and the user themselves. Environment access shows no agent: agents are granted one by one.',
    access: viewer,
    params: userParams,
    query: z.object({ include: includeNames }),
    answers: {
      200: z.object({
        environment_access: z.array(EnvironmentAccess).describe('Environments that the user has access to.'),
      }),
    },
    errors: [400, 403, 404],
  }),
  createEnvironmentAccess: endpoint({
    method: 'POST',
    path: '/users/{user_id}/environment-access',
    tag,
    summary: 'Give a user access to an environment',
    description: 'For managers and owners. An existing entry is answered with 200 and nothing is written.',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ environment_id: environmentId }),
    answers: { 201: EnvironmentAccess, 200: EnvironmentAccess },
    errors: [400, 403, 404],
  }),
  revokeEnvironmentAccess: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}/environment-access/{access_id}',
    tag,
    summary: 'Revoke access to an environment',
    description: 'For managers and owners. 404 for an entry of another user.',
    access: viewer,
    params: z.object({ user_id: userId, access_id: uuid.describe('Id of the access entry.') }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
}

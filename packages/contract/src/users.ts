import { z } from 'zod'
import { anyUser, personally, viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, offset, oneOf, page, sortParam, text, timestamp, uuid } from './fields.ts'
import { accessScopes, roles } from './roles.ts'

export const User = z
  .object({
    id: uuid,
    tenant_id: uuid,
    email: z.string().meta({ format: 'email' }),
    display_name: z.string(),
    role: oneOf(roles),
    status: oneOf(['pending', 'active']),
    academy_only: z.boolean(),
    mfa_enrolled: z.boolean(),
    access_scope: oneOf(accessScopes),
    last_active_at: timestamp.optional(),
    created_at: timestamp,
  })
  .meta({ id: 'User' })
export type User = z.output<typeof User>

export const ResourceGrant = z
  .object({ id: uuid, resource_type: z.literal('agent'), resource_id: uuid, created_at: timestamp })
  .meta({ id: 'ResourceGrant' })

export const EnvironmentAccess = z
  .object({
    id: uuid,
    environment_id: uuid,
    environment_name: z.string(),
    environment_slug: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'EnvironmentAccess' })

export const RemovalPreview = z
  .object({
    api_keys: z.object({ count: z.int(), last_used_at: timestamp.optional() }),
    agents_owned: z.int(),
    open_reviews: z.int(),
  })
  .meta({ id: 'RemovalPreview' })

/** NUL passes: cleaning drops it like any control character. How long it may be counts once it is cleaned. */
const displayName = z
  .string()
  .max(10_000, 'must be at most 10000 characters')
  .refine((value) => value.isWellFormed(), { error: 'must not contain unpaired surrogates' })
  .meta({ description: 'At most 200 characters once cleaned.' })

const userParams = z.object({ user_id: uuid })
const tag = 'Users'

export const userEndpoints = {
  listUsers: endpoint({
    method: 'GET',
    path: '/users',
    tag,
    summary: 'List the users of the tenant',
    access: viewer,
    query: z.object({
      search: text({ max: 400 }).optional(),
      sort_by: sortParam(['name', 'email', 'created_at'], 'created_at'),
      sort_order: sortParam(['asc', 'desc'], 'desc'),
      limit: limit(),
      offset,
    }),
    answers: { 200: page(User) },
    errors: [400],
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    tag,
    summary: 'Read a user',
    access: anyUser,
    params: userParams,
    answers: { 200: User },
    errors: [400, 403, 404],
  }),
  updateUser: endpoint({
    method: 'PUT',
    path: '/users/{user_id}',
    tag,
    summary: 'Change a display name or a role',
    access: anyUser,
    liveSession: true,
    params: userParams,
    body: z.object({ display_name: displayName.optional(), role: oneOf(roles).optional() }),
    answers: { 200: User },
    errors: [400, 403, 404, 409],
    codes: ['academy_only_user'],
  }),
  removeUser: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}',
    tag,
    summary: 'Remove a user or withdraw an invitation',
    access: viewer,
    params: userParams,
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  removeMyself: endpoint({
    method: 'DELETE',
    path: '/users/me',
    tag,
    summary: 'Leave the tenant and delete the own sign-in account',
    access: personally,
    answers: { 204: null },
    errors: [403, 409],
  }),
  previewRemoval: endpoint({
    method: 'GET',
    path: '/users/{user_id}/removal-preview',
    tag,
    summary: 'What breaks if this person goes',
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
    access: viewer,
    liveSession: true,
    params: userParams,
    answers: { 200: User },
    errors: [400, 403, 404, 502],
  }),
  grantPlatformAccess: endpoint({
    method: 'POST',
    path: '/users/{user_id}/platform-access',
    tag,
    summary: 'Give an Academy learner a platform seat',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ role: oneOf(['viewer', 'manager', 'member']) }),
    answers: { 200: User },
    errors: [400, 403, 404, 409],
    codes: ['seat_limit_reached', 'academy_only_account'],
  }),
  setAccessScope: endpoint({
    method: 'PUT',
    path: '/users/{user_id}/access-scope',
    tag,
    summary: 'Set whether a user sees the whole tenant',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ access_scope: oneOf(accessScopes) }),
    answers: { 200: User },
    errors: [400, 403, 404],
  }),
  listGrants: endpoint({
    method: 'GET',
    path: '/users/{user_id}/grants',
    tag,
    summary: 'List the agents granted to a user',
    access: viewer,
    params: userParams,
    answers: { 200: z.object({ grants: z.array(ResourceGrant) }) },
    errors: [400, 403, 404],
  }),
  createGrant: endpoint({
    method: 'POST',
    path: '/users/{user_id}/grants',
    tag,
    summary: 'Grant an agent to a user',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ resource_type: oneOf(['agent']), resource_id: uuid }),
    answers: { 201: ResourceGrant, 200: ResourceGrant },
    errors: [400, 403, 404],
  }),
  revokeGrant: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}/grants/{grant_id}',
    tag,
    summary: 'Revoke a grant',
    access: viewer,
    params: z.object({ user_id: uuid, grant_id: uuid }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  listEnvironmentAccess: endpoint({
    method: 'GET',
    path: '/users/{user_id}/environment-access',
    tag,
    summary: 'List the environments a user works in',
    access: viewer,
    params: userParams,
    answers: { 200: z.object({ environment_access: z.array(EnvironmentAccess) }) },
    errors: [400, 403, 404],
  }),
  createEnvironmentAccess: endpoint({
    method: 'POST',
    path: '/users/{user_id}/environment-access',
    tag,
    summary: 'Give a user access to an environment',
    access: viewer,
    liveSession: true,
    params: userParams,
    body: z.object({ environment_id: uuid }),
    answers: { 201: EnvironmentAccess, 200: EnvironmentAccess },
    errors: [400, 403, 404],
  }),
  revokeEnvironmentAccess: endpoint({
    method: 'DELETE',
    path: '/users/{user_id}/environment-access/{access_id}',
    tag,
    summary: 'Revoke access to an environment',
    access: viewer,
    params: z.object({ user_id: uuid, access_id: uuid }),
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
}

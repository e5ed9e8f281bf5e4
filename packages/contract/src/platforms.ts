import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { limit, name, offset, oneOf, page, record, text, timestamp, uuid } from './fields/fields.ts'
import { createdAt, includeMay, mayFields, tenantId } from './fields/shared-fields.ts'

export const platformKinds = ['github', 'salesforce', 'm365', 'snowflake'] as const
export type PlatformKind = (typeof platformKinds)[number]

export const ConnectedPlatform = z
  .object({
    id: uuid.describe('Id of the connected platform.'),
    tenant_id: tenantId,
    kind: oneOf(platformKinds).describe('Kind of the external service. Agents can be discovered in `github` so far.'),
    name: z.string().describe('Name of the connection, at most 200 characters.'),
    config: z
      .record(z.string(), z.string())
      .describe(
        'Settings of the connection, without secrets. For `github`: `organization`, and `base_url` unless it is github.com.',
      ),
    has_auth_secret: z.boolean().describe('True if a secret is stored. The secret itself is never returned.'),
    last_sync_status: oneOf(['succeeded', 'failed'])
      .nullable()
      .describe('Result of the last synchronization. Null before the first one.'),
    last_sync_at: timestamp.nullable().describe('When the last synchronization ended. Null before the first one.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last synchronization failed. Null if it succeeded or if there was none.'),
    created_at: createdAt,
    ...mayFields,
  })
  .meta({ id: 'ConnectedPlatform', description: 'A connected external service in which agents are discovered.' })
export type ConnectedPlatform = z.output<typeof ConnectedPlatform>

export const NewPlatform = z.object({
  kind: oneOf(platformKinds).describe('Kind of the external service.'),
  name: name({ max: 200 }).describe('Name of the connection, trimmed, 1 to 200 characters.'),
  config: record(text({ min: 1, max: 100 }), text({ max: 2000 }), { maxKeys: 20, error: 'must have at most 20 fields' })
    .optional()
    .describe(
      'Settings of the connection, at most 20. Every reader sees them. For `github`: `organization`, and `base_url` of the REST API unless it is github.com.',
    ),
  auth_secret: text({ min: 1, max: 10_000 })
    .optional()
    .describe(
      'Token that Mandate uses at the platform, at most 10,000 characters. It is stored encrypted and never returned.',
    ),
})
export type NewPlatform = z.output<typeof NewPlatform>

const params = z.object({ platform_id: uuid.describe('Id of the connected platform.') })
const tag = 'Connected platforms'
const change = { by: 'role', role: 'manager', boundKey: 'refused' } as const

export const platformEndpoints = {
  listPlatforms: endpoint({
    method: 'GET',
    path: '/platforms',
    tag,
    summary: 'List connected platforms with the health of their synchronization',
    description:
      'Needs the plan Pro or higher. The secrets of connections are never returned. The parameters `Limit` and `Offset` are accepted too.',
    access: viewer,
    query: z.object({ limit: limit(), offset, include: includeMay }),
    answers: { 200: page(ConnectedPlatform) },
    errors: [400, 402],
    codes: ['plan_upgrade_required'],
  }),
  connectPlatform: endpoint({
    method: 'POST',
    path: '/platforms',
    tag,
    summary: 'Connect a platform',
    description: 'Needs the plan Pro or higher. Makes no network call: the first synchronization uses the connection.',
    access: change,
    liveSession: true,
    body: NewPlatform,
    answers: { 201: ConnectedPlatform },
    errors: [400, 402, 403],
    codes: ['plan_upgrade_required'],
  }),
  disconnectPlatform: endpoint({
    method: 'DELETE',
    path: '/platforms/{platform_id}',
    tag,
    summary: 'Disconnect a platform',
    description: 'Agents that were discovered in the platform stay. The stored secret is deleted.',
    access: change,
    params,
    answers: { 204: null },
    errors: [400, 403, 404],
  }),
  syncPlatform: endpoint({
    method: 'POST',
    path: '/platforms/{platform_id}/sync',
    tag,
    summary: 'Discover the agents of a platform',
    description:
      'Needs the plan Pro or higher. New agents are `discovered` and have no environment. A synchronization that fails gets 200 with `last_sync_status` `failed` and `last_error`.',
    access: change,
    params,
    answers: { 200: ConnectedPlatform },
    errors: [400, 402, 403, 404, 409],
    codes: ['plan_upgrade_required'],
  }),
}

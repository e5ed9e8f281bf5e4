import { z } from 'zod'
import { viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, offset, oneOf, page, record, text, timestamp, uuid } from './fields.ts'

export const platformKinds = ['github', 'salesforce', 'm365', 'snowflake'] as const
export type PlatformKind = (typeof platformKinds)[number]

export const ConnectedPlatform = z
  .object({
    id: uuid,
    tenant_id: uuid,
    kind: oneOf(platformKinds),
    name: z.string(),
    config: z.record(z.string(), z.string()),
    has_auth_secret: z.boolean(),
    last_sync_status: oneOf(['succeeded', 'failed']).nullable(),
    last_sync_at: timestamp.nullable(),
    last_error: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'ConnectedPlatform' })
export type ConnectedPlatform = z.output<typeof ConnectedPlatform>

export const NewPlatform = z.object({
  kind: oneOf(platformKinds),
  name: name({ max: 200 }),
  config: record(text({ min: 1, max: 100 }), text({ max: 2000 }), { maxKeys: 20, error: 'must have at most 20 fields' })
    .optional()
    .meta({
      description: 'Returned to every reader. Of github: organization, and base_url of its REST API if not github.com.',
    }),
  auth_secret: text({ min: 1, max: 10_000 }).optional().meta({ description: 'Stored encrypted and never returned.' }),
})
export type NewPlatform = z.output<typeof NewPlatform>

const params = z.object({ platform_id: uuid })
const tag = 'Connected platforms'
const change = { by: 'role', role: 'manager', boundKey: 'refused' } as const

export const platformEndpoints = {
  listPlatforms: endpoint({
    method: 'GET',
    path: '/platforms',
    tag,
    summary: 'List connected platforms with the health of their synchronization',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(ConnectedPlatform) },
    errors: [400, 402],
    codes: ['plan_upgrade_required'],
  }),
  connectPlatform: endpoint({
    method: 'POST',
    path: '/platforms',
    tag,
    summary: 'Connect a platform',
    description: 'Makes no network call: the connection is first used when it is synchronized.',
    access: change,
    body: NewPlatform,
    answers: { 201: ConnectedPlatform },
    errors: [400, 402, 403],
    codes: ['plan_upgrade_required'],
  }),
  disconnectPlatform: endpoint({
    method: 'DELETE',
    path: '/platforms/{platform_id}',
    tag,
    summary: 'Disconnect a platform; agents discovered in it stay',
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
    description: 'A synchronization that fails answers 200 with last_sync_status failed and last_error.',
    access: change,
    params,
    answers: { 200: ConnectedPlatform },
    errors: [400, 402, 403, 404, 409],
    codes: ['plan_upgrade_required'],
  }),
}

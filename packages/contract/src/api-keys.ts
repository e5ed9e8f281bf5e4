import { z } from 'zod'
import { viewer } from './access.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, offset, page, text, timestamp, uuid } from './fields.ts'
import { faultOfScope, scopeResources } from './scopes.ts'

const scope = text({ max: 80 }).superRefine((value, { addIssue }) => {
  const fault = faultOfScope(value)
  if (fault) addIssue({ code: 'custom', message: fault })
})

export const ApiKey = z
  .object({
    id: uuid,
    tenant_id: uuid,
    created_by: uuid,
    name: z.string(),
    key_prefix: z.string(),
    scopes: z.array(z.string()),
    environment_id: uuid.optional(),
    expires_at: timestamp.optional(),
    last_used_at: timestamp.optional(),
    revoked_at: timestamp.optional(),
    created_at: timestamp,
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.output<typeof ApiKey>

export const NewApiKey = z.object({
  name: name({ max: 200 }),
  environment_id: uuid.optional(),
  scopes: z
    .array(scope)
    .max(50)
    .optional()
    .meta({
      description:
        'Each is `<resource>:<action>`; the action is `read`, `write` or `*`. `*` alone, or no scope, is unrestricted. ' +
        `Resources: ${scopeResources.map((name) => `\`${name}\``).join(', ')}. Every key may call GET /auth/session.`,
    }),
  expires_at: timestamp.optional(),
})
export type NewApiKey = z.output<typeof NewApiKey>

const keyParams = z.object({ key_id: uuid })
const tag = 'API keys'

export const apiKeyEndpoints = {
  createApiKey: endpoint({
    method: 'POST',
    path: '/api-keys',
    tag,
    summary: 'Create an API key',
    access: viewer,
    body: NewApiKey,
    answers: { 201: ApiKey.extend({ raw_key: z.string() }).meta({ id: 'NewApiKey' }) },
    errors: [400, 403, 404],
  }),
  listApiKeys: endpoint({
    method: 'GET',
    path: '/api-keys',
    tag,
    summary: 'List API keys',
    access: viewer,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(ApiKey) },
    errors: [400],
  }),
  bindApiKey: endpoint({
    method: 'PATCH',
    path: '/api-keys/{key_id}/environment',
    tag,
    summary: 'Bind a key to an environment or make it tenant-wide',
    access: viewer,
    params: keyParams,
    body: z.object({ environment_id: uuid.nullable() }),
    answers: { 200: ApiKey },
    errors: [400, 403, 404],
  }),
  revokeApiKey: endpoint({
    method: 'DELETE',
    path: '/api-keys/{key_id}',
    tag,
    summary: 'Revoke a key',
    access: viewer,
    params: keyParams,
    answers: { 200: ApiKey },
    errors: [400, 403, 404],
  }),
}

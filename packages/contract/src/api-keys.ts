import { z } from 'zod'
import { viewer } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames } from './endpoint/names.ts'
import { integerParam, limit, name, offset, oneOf, page, text, timestamp, uuid } from './fields/fields.ts'
import { createdAt, mayFields, tenantId } from './fields/shared-fields.ts'
import { faultOfScope, scopeResources } from './words/scopes.ts'

const scope = text({ max: 80 }).superRefine((value, { addIssue }) => {
  const fault = faultOfScope(value)
  if (fault) addIssue({ code: 'custom', message: fault })
})

export const ApiKey = z
  .object({
    id: uuid.describe('Id of the API key.'),
    tenant_id: tenantId,
    created_by: uuid.describe(
      'Id of the user who created the key. The key acts with the role and access scope that this user has now.',
    ),
    name: z.string().describe('What the key is for, in the words of its creator.'),
    key_prefix: z.string().describe('First 8 characters of the key. They are not secret.'),
    scopes: z
      .array(z.string())
      .describe(
        'What the key may do, each as `<resource>:<action>`. An empty list means no limit beyond the role of the creator.',
      ),
    environment_id: uuid
      .optional()
      .describe('Environment that the key is bound to. Absent for a key that works in the whole tenant.'),
    expires_at: timestamp
      .optional()
      .describe('From this time the key is refused. Absent for a key that does not expire.'),
    last_used_at: timestamp.optional().describe('When the key was last used. Absent before the first use.'),
    revoked_at: timestamp.optional().describe('When the key was revoked. Absent unless it was revoked.'),
    created_at: createdAt,
    ...mayFields,
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself. A field without a value is left out.' })
export type ApiKey = z.output<typeof ApiKey>

const days = integerParam({ min: 0, max: 36_500 })

export const NewApiKey = z.object({
  name: name({ max: 200 }).describe('What the key is for, trimmed, 1 to 200 characters.'),
  environment_id: uuid
    .optional()
    .describe(
      'Environment to bind the key to. Without it the key works in the whole tenant, which needs the access scope `all`.',
    ),
  scopes: z
    .array(scope)
    .max(50)
    .optional()
    .meta({
      description:
        'Each is `<resource>:<action>`; the action is `read`, `write` or `*`. `*` alone, or no scope, is unrestricted. ' +
        `Resources: ${scopeResources.map((name) => `\`${name}\``).join(', ')}. Every key may call GET /auth/session.`,
    }),
  expires_at: timestamp
    .optional()
    .describe('From this time the key is refused. It must be in the future. Without it the key does not expire.'),
})
export type NewApiKey = z.output<typeof NewApiKey>

const keyParams = z.object({ key_id: uuid.describe('Id of the API key.') })
const tag = 'API keys'

export const apiKeyEndpoints = {
  createApiKey: endpoint({
    method: 'POST',
    path: '/api-keys',
    tag,
    summary: 'Create an API key',
    description:
      'The key is in `raw_key` of this answer and cannot be read again. It acts with the role of its creator. Viewers create no keys.',
    access: viewer,
    liveSession: true,
    body: NewApiKey,
    answers: {
      201: ApiKey.extend({
        raw_key: z
          .string()
          .describe('The API key: `mk_` and 64 hexadecimal characters. It is shown once; only its hash is stored.'),
      }).meta({ id: 'NewApiKey', description: 'A new API key, with the key itself.' }),
    },
    errors: [400, 403, 404],
  }),
  listApiKeys: endpoint({
    method: 'GET',
    path: '/api-keys',
    tag,
    summary: 'List API keys',
    description:
      'Managers and owners see every key of the tenant, other users the keys that they created. Revoked keys stay in the list.',
    access: viewer,
    query: z.object({
      state: oneOf(['active', 'expired', 'revoked'])
        .optional()
        .describe('Only keys in this state. A key that was revoked counts as `revoked`, also after it has expired.'),
      unused_days: days.describe(
        'Only keys that were not used for this many days. A key that was never used counts from its creation. 0 to 36,500.',
      ),
      older_days: days.describe('Only keys that were created at least this many days ago. 0 to 36,500.'),
      limit: limit(),
      offset,
      include: includeMayNames,
    }),
    answers: { 200: page(ApiKey) },
    errors: [400],
  }),
  bindApiKey: endpoint({
    method: 'PATCH',
    path: '/api-keys/{key_id}/environment',
    tag,
    summary: 'Bind a key to an environment or make it tenant-wide',
    description:
      'The key string and its prefix stay the same. A revoked key is refused with 400. A key that is bound to an environment cannot change any binding.',
    access: viewer,
    liveSession: true,
    params: keyParams,
    body: z.object({
      environment_id: uuid
        .nullable()
        .describe('Environment to bind the key to. Null makes the key work in the whole tenant.'),
    }),
    answers: { 200: ApiKey },
    errors: [400, 403, 404],
  }),
  revokeApiKey: endpoint({
    method: 'DELETE',
    path: '/api-keys/{key_id}',
    tag,
    summary: 'Revoke a key',
    description:
      'The key stops at once and for good. It stays in the list with `revoked_at`. Revoking a key twice is 400.',
    access: viewer,
    params: keyParams,
    answers: { 200: ApiKey },
    errors: [400, 403, 404],
  }),
}

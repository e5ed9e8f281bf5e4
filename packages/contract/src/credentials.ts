import { z } from 'zod'
import { edge } from './endpoint/access.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { includeMayNames } from './endpoint/names.ts'
import { booleanParam, limit, offset, oneOf, page, record, text, timestamp, uuid } from './fields/fields.ts'
import { createdAt, environmentId, mayFields, updatedAt } from './fields/shared-fields.ts'

export const credentialKinds = ['bearer', 'header', 'basic', 'environment', 'oauth_client_credentials'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Maximum number of credentials of one environment. Each heartbeat answer to an edge names all of them. */
export const mostCredentials = 200
/** Maximum number of servers for which one edge fetches one credential within 24 hours. */
export const mostServersOfCredential = 100

const kind = oneOf(credentialKinds)
const credentialName = text({ min: 1, max: 63 }).refine((value) => /^[a-z0-9-]{1,63}$/.test(value), {
  error: 'must be 1 to 63 characters of a-z 0-9 -',
  abort: true,
})
const config = record(text({ min: 1, max: 100 }), text({ max: 2048 }), {
  maxKeys: 20,
  error: 'must have at most 20 fields',
})
const configText =
  '`header`: `header`, the name of the header. `basic`: `username`. `environment`: `variable`. `oauth_client_credentials`: `token_url`, `client_id` and optionally `scope`. `bearer`: no settings.'
const version = z
  .int()
  .describe(
    'Version of the credential. It rises with each change. A credential that gets the name of a deleted one continues its versions.',
  )
const secret = text({ min: 1, max: 10_000 }).describe(
  'The secret, at most 10,000 characters. It is stored encrypted, and only edges of the environment can read it.',
)

export const Credential = z
  .object({
    id: uuid.describe('Id of the credential.'),
    name: z.string().describe('Name of the credential, unique in its environment.'),
    kind: kind.describe('How a tool server gets the secret.'),
    environment_id: environmentId,
    config: z.record(z.string(), z.string()).describe(`Settings that are not secret. ${configText}`),
    version,
    created_by: uuid
      .nullable()
      .describe('Id of the user who created the credential. It stays after that user was removed.'),
    last_used_at: timestamp
      .nullable()
      .describe(
        'When an edge last fetched the secret. An edge that uses a credential fetches it again about once an hour. Null before the first fetch.',
      ),
    created_at: createdAt,
    updated_at: updatedAt,
    ...mayFields,
  })
  .meta({ id: 'Credential', description: 'A secret of a tool, which edges use and agents never see.' })
export type Credential = z.output<typeof Credential>

export const NewCredential = z.object({
  name: credentialName.describe('Name of the credential, unique in its environment: 1 to 63 characters of a-z 0-9 -.'),
  kind: kind.describe('How a tool server gets the secret.'),
  environment_id: environmentId,
  config: config.optional().describe(`Settings that are not secret. Every reader sees them. ${configText}`),
  secret,
})
export type NewCredential = z.output<typeof NewCredential>

export const CredentialChange = z.object({
  name: credentialName
    .optional()
    .describe('New name. Edges that use the old name no longer find the credential, and deny the calls.'),
  config: config.optional().describe(`New settings, which replace all earlier ones. ${configText}`),
  secret: secret
    .optional()
    .describe('New secret. Required if `token_url` names another server: the stored secret is not sent there.'),
})
export type CredentialChange = z.output<typeof CredentialChange>

export const CredentialVersion = z.object({
  name: z.string().describe('Name of the credential.'),
  version,
})
export type CredentialVersion = z.output<typeof CredentialVersion>

export const EdgeCredential = z
  .object({
    name: z.string().describe('Name of the credential.'),
    kind: kind.describe('How the tool server gets the secret.'),
    config: z.record(z.string(), z.string()).describe(`Settings that are not secret. ${configText}`),
    secret: z.string().describe('The secret. An edge keeps it in memory only.'),
    version,
  })
  .meta({ id: 'EdgeCredential', description: 'A credential with its secret, for an edge.' })
export type EdgeCredential = z.output<typeof EdgeCredential>

const params = z.object({ credential_id: uuid.describe('Id of the credential.') })
const tag = 'Credentials'
const read = { by: 'role', role: 'viewer', boundKey: 'refused' } as const
const change = { by: 'role', role: 'manager', boundKey: 'refused' } as const

export const credentialEndpoints = {
  listCredentials: endpoint({
    method: 'GET',
    path: '/credentials',
    tag,
    summary: 'List the credentials of tools',
    description:
      'Sorted by name. Secrets are never in the answer. A scoped user sees the credentials of the environments that they have access to.',
    access: read,
    query: z.object({
      environment_id: uuid.optional().describe('Only credentials of this environment.'),
      limit: limit(),
      offset,
      include: includeMayNames,
    }),
    answers: { 200: page(Credential) },
    errors: [400],
  }),
  createCredential: endpoint({
    method: 'POST',
    path: '/credentials',
    tag,
    summary: 'Store a credential of a tool',
    description: `The answer does not contain the secret. A name that is taken in the environment is 409. An environment has at most ${mostCredentials} credentials (409). \`token_url\` must not be in a private network, as the address of a connected platform must not.`,
    access: change,
    liveSession: true,
    body: NewCredential,
    answers: { 201: Credential },
    errors: [400, 403, 404, 409],
  }),
  updateCredential: endpoint({
    method: 'PUT',
    path: '/credentials/{credential_id}',
    tag,
    summary: 'Change the name or the settings of a credential',
    description:
      'Changes the fields that are sent. The kind and the environment stay. Edges fetch the credential again.',
    access: change,
    liveSession: true,
    params,
    body: CredentialChange,
    answers: { 200: Credential },
    errors: [400, 403, 404, 409],
  }),
  rotateCredential: endpoint({
    method: 'POST',
    path: '/credentials/{credential_id}/rotate',
    tag,
    summary: 'Replace the secret of a credential',
    description:
      'Edges fetch the new secret at once. An edge restarts a tool server that has the old secret in its environment when the server is idle, after 60 seconds at the latest.',
    access: change,
    liveSession: true,
    params,
    body: z.object({ secret }),
    answers: { 200: Credential },
    errors: [400, 403, 404],
  }),
  deleteCredential: endpoint({
    method: 'DELETE',
    path: '/credentials/{credential_id}',
    tag,
    summary: 'Delete a credential',
    description:
      'If edges fetched it in the last 24 hours, the answer is 409 and names the servers, unless `force` is true. Edges that are reached forget the secret at once, and deny calls that need it. An edge that is not reached keeps the secret until it denies every call.',
    access: change,
    params,
    query: z.object({
      force: booleanParam.describe('Whether to delete a credential that was used in the last 24 hours.'),
    }),
    answers: { 204: null },
    errors: [400, 403, 404, 409],
  }),
  getEdgeCredential: endpoint({
    method: 'GET',
    path: '/edge/credentials/{name}',
    tag: 'Edge',
    summary: 'Read a credential with its secret',
    description: `For an edge key, and the credentials of its environment. The own key of an agent is refused (403), because an agent must not have the secrets of its tools. The answer must not be stored. An edge can fetch a credential for at most ${mostServersOfCredential} servers within 24 hours (403).`,
    access: edge,
    params: z.object({ name: credentialName.describe('Name of the credential.') }),
    query: z.object({
      server: text({ min: 1, max: 64 })
        .refine((value) => /^[A-Za-z0-9_.-]+$/.test(value), {
          error: 'must be 1 to 64 characters of A-Z a-z 0-9 _ - .',
          abort: true,
        })
        .optional()
        .describe('Name of the tool server that gets the secret, as in policies. The audit trail names it.'),
    }),
    answers: { 200: EdgeCredential },
    errors: [400, 403, 404],
  }),
}

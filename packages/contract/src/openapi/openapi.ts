import { z } from 'zod'
import { bodyTooLarge, maxBodyBytes } from '../endpoint/body-limit.ts'
import { contentTypesOf, type Endpoint } from '../endpoint/endpoint.ts'
import { names, offersNames } from '../endpoint/names.ts'
import { examples } from '../examples/examples.ts'
import { codedErrors, type ErrorCode } from '../words/errors.ts'
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './openapi-schema.ts'
import { tags } from './tags.ts'

export const interfaceVersion = '0.1.0'

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters?: OpenApiParameter[]
  requestBody?: { required: boolean; content: OpenApiContent }
  responses: Record<string, OpenApiResponse>
}

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
}

/** Schemas by content type. */
export type OpenApiContent = Record<string, { schema: JsonSchema; example?: unknown }>

export interface OpenApiResponse {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: OpenApiContent
}

/** The operations of a path by lower-case method. A path outside the base path has its own `servers`. */
export type OpenApiPath = Record<string, OpenApiOperation | { url: string }[]>

export interface OpenApiDocument {
  openapi: '3.1.0'
  'x-generated': string
  info: Record<string, unknown>
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, OpenApiPath>
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, JsonSchema> }
}

/**
 * Builds the OpenAPI 3.1 document of the endpoints, which are given by operation id. `basePath` is the path of the server's address, without a slash
 * at its end.
 */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>, basePath = ''): OpenApiDocument {
  const writer = createSchemaWriter()
  const paths: Record<string, OpenApiPath> = {}
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const path: OpenApiPath = paths[endpoint.path] ?? (endpoint.absolute ? { servers: [{ url: `${basePath}/` }] } : {})
    paths[endpoint.path] = path
    path[endpoint.method.toLowerCase()] = operationOf(id, endpoint, writer)
  }
  return {
    openapi: '3.1.0',
    'x-generated': 'by `npm run generate` from packages/contract/src; do not edit',
    info: {
      title: 'Mandate',
      version: interfaceVersion,
      description: apiDescription,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${basePath}/api/v1`, description: 'The server that this document comes from.' }],
    tags: [...new Set(Object.values(endpoints).map(({ tag }) => tag))].map((name) => ({
      name,
      description: tags[name] ?? '',
    })),
    paths,
    components: { securitySchemes, schemas: { ...errorSchemas, ...writer.shared() } },
  }
}

const apiDescription = `Mandate is a governance control plane for AI agents.

Programs send an API key as \`Authorization: Bearer mk_…\`. Edges and agents send their own keys to the routes under \`/edge\`.
Bodies are JSON. Timestamps are ISO 8601 in UTC with milliseconds. Ids are UUIDs. Unknown fields and query parameters are ignored.
Lists have \`limit\` and \`offset\`, or a token for the next page. An error has \`error\`, a sentence; some errors have \`code\` too.
Every answer has \`X-Request-Id\`, which logs and audit entries have too. The answer to malformed headers has a new id, and not the one
that the request sent, if the headers arrived in several packets. 429 has \`Retry-After\`, in seconds.`

const securitySchemes = {
  member: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`mk_` and 64 hexadecimal characters), or the access token of a signed-in person.',
  },
  edge: {
    type: 'http',
    scheme: 'bearer',
    description: 'An agent key (`ak_…`) or an edge key (`ek_…`).',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-mandate_session',
    description:
      'The refresh token of a person who signed in with a browser. It needs the header `Mandate-Session: cookie`. On an http loopback address, the name is `mandate_session`.',
  },
}

const errorText = { type: 'string', description: 'What is wrong, in a sentence. It names the field if there is one.' }
const sameText = { type: 'string', description: 'The same text as `error`.' }

const errorSchemas: Record<string, JsonSchema> = {
  Error: {
    type: 'object',
    description: 'The answer to a refused request.',
    properties: {
      error: errorText,
      errors: {
        type: 'array',
        description: 'Faults of a policy document. Only where a document was to be validated.',
        items: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'Where in the document, such as `rules[0].match.tools[1]`.' },
            message: { type: 'string', description: 'What is wrong at that place.' },
          },
          required: ['path', 'message'],
        },
      },
    },
    required: ['error'],
  },
  CodedError: {
    type: 'object',
    description: 'A refused request with a code for programs.',
    properties: {
      error: errorText,
      message: sameText,
      code: { type: 'string', enum: Object.keys(codedErrors), description: 'Name of the error, for programs.' },
    },
    required: ['error', 'message', 'code'],
  },
  PlanError: {
    type: 'object',
    description: 'A request for a feature that the plan does not include.',
    properties: {
      error: errorText,
      message: sameText,
      code: { type: 'string', const: 'plan_upgrade_required', description: 'Always `plan_upgrade_required`.' },
      minimum_plan: { type: 'string', description: 'The lowest plan that includes the feature.' },
      current_plan: { type: 'string', description: 'The plan that the tenant has.' },
    },
    required: ['error', 'message', 'code', 'minimum_plan', 'current_plan'],
  },
  GateError: {
    type: 'object',
    description: 'A request that was refused before its body was read: credential, rate or scopes.',
    properties: { error: errorText, code: { type: 'integer', description: 'The HTTP status again.' } },
    required: ['error'],
  },
  InternalError: {
    type: 'object',
    description: 'A fault of the service.',
    properties: {
      error: errorText,
      request_id: { type: 'string', description: 'Find the log entry of the fault by this id.' },
    },
    required: ['error', 'request_id'],
  },
}

function operationOf(operationId: string, endpoint: Endpoint, writer: SchemaWriter): OpenApiOperation {
  const parameters = parametersOf(endpoint, writer)
  const description = [endpoint.description, whoMayCall(endpoint)].filter(Boolean).join(' ')
  return {
    operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description,
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: {
          [endpoint.consumes ?? 'application/json']: {
            schema: writer.write(endpoint.body),
            ...exampleOf(examples[operationId]?.request),
          },
        },
      },
    }),
    responses: { ...successesOf(operationId, endpoint, writer), ...refusalsOf(endpoint) },
  }
}

function securityOf({ access, cookieSession }: Endpoint): Record<string, string[]>[] {
  const byCookie = cookieSession === 'accepts' ? [{ sessionCookie: [] }] : []
  if (access.by === 'public') return byCookie.length > 0 ? [{}, ...byCookie] : []
  return [{ [access.by === 'edge' ? 'edge' : 'member']: [] }, ...byCookie]
}

function whoMayCall({ access, liveSession }: Endpoint): string {
  if (access.by !== 'role') return ''
  const parts = [access.role === 'viewer' ? '' : `Needs the role ${access.role} or above.`]
  if (access.sessionOnly) parts.push('Only for a signed-in person: an API key is refused.')
  if (access.boundKey === 'refused') parts.push('A key bound to an environment is refused.')
  if (liveSession) parts.push('401 for a person whose session has ended, even while the access token is valid.')
  if (access.learners) parts.push('Learners may call it.')
  return parts.filter(Boolean).join(' ')
}

const exampleOf = (example: unknown) => (example === undefined ? {} : { example })

function parametersOf(
  { params, query, errors, notModified, cookieSession }: Endpoint,
  writer: SchemaWriter,
): OpenApiParameter[] {
  const of = (place: 'path' | 'query', object: Endpoint['params']) => {
    const schema = object ? writer.write(object) : {}
    const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
    const required = (schema.required ?? []) as string[]
    return Object.entries(properties).map(([name, { description = '', ...its }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description: String(description),
      schema: its,
    }))
  }
  return [
    ...of('path', params),
    ...of('query', query),
    ...(errors.includes(412) ? [ifMatch] : []),
    ...(notModified ? [ifNoneMatch] : []),
    ...(cookieSession ? [mandateSession(cookieSession)] : []),
  ]
}

const ifMatch: OpenApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now.',
  schema: { type: 'string' },
}

const ifNoneMatch: OpenApiParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the answer that the caller has. 304 without a body if it is still current.',
  schema: { type: 'string' },
}

const mandateSession = (use: NonNullable<Endpoint['cookieSession']>): OpenApiParameter => ({
  name: 'Mandate-Session',
  in: 'header',
  required: false,
  description: `${
    use === 'opens'
      ? 'For browsers: the refresh token is in the cookie `mandate_session` of the answer, and not in its body.'
      : 'Required if the refresh token is in the cookie `mandate_session`. The request then has no token in its body and needs no access token.'
  } 403 for a request of another site: \`Origin\` must be that of \`PUBLIC_URL\`, and \`Sec-Fetch-Site\` must be \`same-origin\` or \`none\`.`,
  schema: { type: 'string', enum: ['cookie'] },
})

const setCookie = {
  'Set-Cookie': {
    description:
      'With `Mandate-Session: cookie`, the cookie `mandate_session` with the refresh token: `HttpOnly`, `SameSite=Strict`, `Path=/`. Except on an http loopback address it is `Secure`, and its name is `__Host-mandate_session`.',
    schema: { type: 'string' },
  },
}

function successesOf(id: string, endpoint: Endpoint, writer: SchemaWriter): Record<string, OpenApiResponse> {
  // JavaScript sorts numeric keys, so that 200 comes before 201.
  const main = 201 in endpoint.answers ? '201' : Object.keys(endpoint.answers)[0]
  const contentOf = (status: string, schema: Endpoint['answers'][number]) =>
    schema && {
      content: Object.fromEntries(
        contentTypesOf(endpoint).map((type) => [
          type,
          {
            schema: type === 'text/html' ? { type: 'string' } : bodyOf(endpoint, schema, writer),
            ...(status === main && type === 'application/json' && exampleOf(examples[id]?.response)),
          },
        ]),
      ),
    }
  const successes = Object.entries(endpoint.answers).map(([status, schema]) => [
    status,
    {
      description: descriptions[Number(status)] ?? 'Done',
      ...(endpoint.cookieSession && { headers: setCookie }),
      ...contentOf(status, schema),
    },
  ])
  const notModified = { 304: { description: descriptions[304] as string } }
  return { ...Object.fromEntries(successes), ...(endpoint.notModified && notModified) }
}

/** The schema of a response body. An endpoint with `include=names` adds the field `names` to it. */
function bodyOf(endpoint: Endpoint, schema: z.ZodType, writer: SchemaWriter): JsonSchema {
  const body = writer.write(schema)
  if (!offersNames(endpoint)) return body
  const added = writer.write(namesField)
  if (!body.properties) return { allOf: [body, added] }
  return { ...body, properties: { ...body.properties, ...(added.properties as object) } }
}

const namesField = z.object({ names })

function refusalsOf(endpoint: Endpoint): Record<string, OpenApiResponse> {
  const statuses = new Set(endpoint.errors)
  const codes = codesOf(endpoint)
  for (const code of codes) statuses.add(codedErrors[code].status)
  for (const status of [429, 500, 503]) statuses.add(status)
  if (endpoint.access.by !== 'public') for (const status of [401, 403]) statuses.add(status)
  if (endpoint.body) for (const status of [400, 413, 415]) statuses.add(status)
  // Every change can conflict with a concurrent change, so every change can return 409.
  if (endpoint.method !== 'GET') statuses.add(409)
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), refusalOf(status, codes, endpoint)]),
  )
}

const shapeOf: Record<number, string> = { 401: 'GateError', 403: 'GateError', 429: 'GateError', 500: 'InternalError' }

/**
 * Returns the error codes of an endpoint: the declared codes, and `academy_only_account` if the endpoint needs a role. Such an
 * endpoint may refuse learners (users of the training product only).
 */
function codesOf({ access, codes = [] }: Endpoint): readonly ErrorCode[] {
  return access.by === 'role' ? [...new Set([...codes, 'academy_only_account' as const])] : codes
}

function refusalOf(status: number, codes: readonly ErrorCode[], endpoint: Endpoint): OpenApiResponse {
  const its = codes.filter((code) => codedErrors[code].status === status)
  const shapes = [shapeOf[status] ?? 'Error']
  if (its.length > 0) shapes.push(status === 402 ? 'PlanError' : 'CodedError')
  const refs = shapes.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const named = its.length > 0 ? `; codes: ${its.map((code) => `\`${code}\``).join(', ')}` : ''
  return {
    description: `${descriptionOf(status, endpoint)}${named}`,
    ...((status === 429 || status === 503) && {
      headers: {
        'Retry-After': {
          description: 'Seconds to wait before the request is sent again.',
          schema: { type: 'integer' },
        },
      },
    }),
    content: {
      'application/json': { schema: refs.length === 1 ? (refs[0] as JsonSchema) : { anyOf: refs } },
      ...(endpoint.refusesWithPage && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}

function descriptionOf(status: number, endpoint: Endpoint): string {
  if (status === 413) return bodyTooLarge(maxBodyBytes(endpoint)).replace(/^t/, 'T')
  return descriptions[status] ?? 'Refused'
}

const descriptions: Record<number, string> = {
  200: 'The request succeeded',
  201: 'Created',
  202: 'Accepted',
  204: 'The request succeeded; there is no body',
  302: 'The browser is sent to another address',
  303: 'The browser is sent to another address',
  304: 'The caller’s copy is still current',
  400: 'A path id, a parameter or the body is not valid',
  401: 'No valid credentials',
  402: 'The plan does not include this',
  403: 'The caller may not do this',
  404: 'It does not exist, or the caller cannot see it',
  409: 'Not possible in the current state',
  410: 'Used or expired',
  412: 'The policy has another version than `If-Match` names',
  415: 'The body has another content type',
  429: 'Too many requests',
  500: 'A fault of the service',
  502: 'The identity provider failed; nothing changed',
  503: 'The server or its database is not available. Try again. The request was either applied completely or not at all',
}

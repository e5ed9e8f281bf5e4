import { bodyTooLarge, maxBodyBytes } from './body-limit.ts'
import { contentTypesOf, type Endpoint } from './endpoint.ts'
import { codedErrors, type ErrorCode } from './errors.ts'
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './openapi-schema.ts'

export const interfaceVersion = '0.1.0'

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: 'path' | 'query'; required: boolean; schema: JsonSchema }[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, OpenApiResponse>
}

export interface OpenApiResponse {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: Record<string, { schema: JsonSchema }>
}

/** A path's operations by lower-case method; paths outside the base path name their own server. */
export type OpenApiPath = Record<string, OpenApiOperation | { url: string }[]>

export interface OpenApiDocument {
  openapi: '3.1.0'
  'x-generated': string
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, OpenApiPath>
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, JsonSchema> }
}

/** The OpenAPI 3.1 document of a table of endpoints, by operation id. */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>): OpenApiDocument {
  const writer = createSchemaWriter()
  const paths: Record<string, OpenApiPath> = {}
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const path: OpenApiPath = paths[endpoint.path] ?? (endpoint.absolute ? { servers: [{ url: '/' }] } : {})
    paths[endpoint.path] = path
    path[endpoint.method.toLowerCase()] = operationOf(id, endpoint, writer)
  }
  return {
    openapi: '3.1.0',
    'x-generated': 'from packages/contract/src by `npm run generate`; do not edit',
    info: {
      title: 'Mandate',
      version: interfaceVersion,
      description: 'Governance control plane for AI agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(Object.values(endpoints).map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes, schemas: { ...errorSchemas, ...writer.shared() } },
  }
}

const securitySchemes = {
  member: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`mk_` and 64 hexadecimal characters), or the access token of a signed-in person.',
  },
  edge: {
    type: 'http',
    scheme: 'bearer',
    description: 'An agent’s own key (`ak_…`) or an edge’s (`ek_…`).',
  },
}

const errorSchemas: Record<string, JsonSchema> = {
  Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
  CodedError: {
    type: 'object',
    properties: {
      error: { type: 'string' },
      message: { type: 'string', description: 'The same text as `error`.' },
      code: { type: 'string', enum: Object.keys(codedErrors) },
    },
    required: ['error', 'message', 'code'],
  },
  GateError: {
    type: 'object',
    properties: { error: { type: 'string' }, code: { type: 'integer', description: 'The status again.' } },
    required: ['error'],
  },
  InternalError: {
    type: 'object',
    properties: {
      error: { type: 'string' },
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
    ...(description && { description }),
    security: endpoint.access.by === 'public' ? [] : [{ [endpoint.access.by === 'edge' ? 'edge' : 'member']: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { [endpoint.consumes ?? 'application/json']: { schema: writer.write(endpoint.body) } },
      },
    }),
    responses: { ...successesOf(endpoint, writer), ...refusalsOf(endpoint) },
  }
}

function whoMayCall({ access }: Endpoint): string {
  if (access.by !== 'role') return ''
  const parts = [access.role === 'viewer' ? '' : `Needs the role ${access.role} or above.`]
  if (access.sessionOnly) parts.push('Only for a signed-in person: an API key is refused.')
  if (access.boundKey === 'refused') parts.push('A key bound to an environment is refused.')
  if (access.learners) parts.push('Academy learners may call it.')
  return parts.filter(Boolean).join(' ')
}

function parametersOf({ params, query }: Endpoint, writer: SchemaWriter) {
  const of = (place: 'path' | 'query', object: Endpoint['params']) => {
    const schema = object ? writer.write(object) : {}
    const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
    const required = (schema.required ?? []) as string[]
    return Object.entries(properties).map(([name, its]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: its,
    }))
  }
  return [...of('path', params), ...of('query', query)]
}

function successesOf(endpoint: Endpoint, writer: SchemaWriter): Record<string, OpenApiResponse> {
  const contentOf = (schema: Endpoint['answers'][number]) =>
    schema && {
      content: Object.fromEntries(
        contentTypesOf(endpoint).map((type) => [
          type,
          { schema: type === 'text/html' ? { type: 'string' } : writer.write(schema) },
        ]),
      ),
    }
  const successes = Object.entries(endpoint.answers).map(([status, schema]) => [
    status,
    { description: descriptions[Number(status)] ?? 'Done', ...contentOf(schema) },
  ])
  const notModified = { 304: { description: descriptions[304] as string } }
  return { ...Object.fromEntries(successes), ...(endpoint.notModified && notModified) }
}

function refusalsOf(endpoint: Endpoint): Record<string, OpenApiResponse> {
  const statuses = new Set(endpoint.errors)
  const codes = codesOf(endpoint)
  for (const code of codes) statuses.add(codedErrors[code].status)
  for (const status of [429, 500, 503]) statuses.add(status)
  if (endpoint.access.by !== 'public') for (const status of [401, 403]) statuses.add(status)
  if (endpoint.body) for (const status of [400, 413, 415]) statuses.add(status)
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), refusalOf(status, codes, endpoint)]),
  )
}

const shapeOf: Record<number, string> = { 401: 'GateError', 403: 'GateError', 429: 'GateError', 500: 'InternalError' }

/** The declared codes, and the one that learners get wherever they may not call. */
function codesOf({ access, codes = [] }: Endpoint): readonly ErrorCode[] {
  return access.by === 'role' && !access.learners ? [...new Set([...codes, 'academy_only_account' as const])] : codes
}

function refusalOf(status: number, codes: readonly ErrorCode[], endpoint: Endpoint): OpenApiResponse {
  const its = codes.filter((code) => codedErrors[code].status === status)
  const shapes = [shapeOf[status] ?? 'Error']
  if (its.length > 0) shapes.push('CodedError')
  const refs = shapes.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const named = its.length > 0 ? `; codes: ${its.map((code) => `\`${code}\``).join(', ')}` : ''
  return {
    description: `${descriptionOf(status, endpoint)}${named}`,
    ...((status === 429 || status === 503) && {
      headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
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
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; no body',
  302: 'Sent on',
  304: 'Not changed',
  400: 'A path id, a parameter or the body is not valid',
  401: 'No valid credentials',
  402: 'The plan does not include this',
  403: 'The caller may not do this',
  404: 'No such thing, or none that the caller can see',
  409: 'Not possible in the present state',
  410: 'Used or expired',
  412: 'Changed since it was read',
  415: 'The body is of another type',
  429: 'Too many requests',
  500: 'A fault of the service',
  502: 'The identity provider did not do its part; nothing changed',
  503: 'Not ready, or the database is not available: try again. Nothing was done, or all of it',
}

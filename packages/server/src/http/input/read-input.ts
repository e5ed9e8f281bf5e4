import { findExcess } from '@mandate/contract/checks/find-excess'
import { findIssues, firstIssueOnly } from '@mandate/contract/checks/find-issues'
import { describeIssue, fieldName } from '@mandate/contract/checks/refusal-text'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { boundsOf } from '@mandate/contract/fields/bounds'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { invalid, Refusal } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import type { CookieSession } from '../cookies/session-cookie.ts'
import { readForm } from './read-form.ts'
import { readJson } from './read-json.ts'
import { tooManyParameters, tooManyParametersText } from './read-query.ts'

// List endpoints accept two spellings of their paging parameters.
const otherSpellings: Record<string, string> = {
  limit: 'Limit',
  offset: 'Offset',
  page_size: 'PageSize',
  page_token: 'PageToken',
}

/** Reads the ids in the path. Throws 400 if an id is malformed. */
export function readParams(endpoint: Endpoint, request: FastifyRequest): unknown {
  return endpoint.params ? readValue(endpoint.params, request.params, 'path') : undefined
}

/**
 * Reads the query parameters that the endpoint declares. All other parameters are ignored. Throws 400 for an invalid value.
 */
export function readQuery(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (!endpoint.query) return undefined
  const given = request.query as Record<string, unknown>
  if (given === tooManyParameters) throw invalid(tooManyParametersText)
  if (Object.keys(given).length === 0) return withoutParameters(endpoint, endpoint.query)
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(endpoint.query.shape)) {
    const other = otherSpellings[name]
    const value = given[name] ?? (other === undefined ? undefined : given[other])
    if (value !== undefined) known[name] = value
  }
  return readValue(endpoint.query, known, 'query')
}

const defaultQueries = new WeakMap<Endpoint, unknown>()

/** Returns the query of a request without parameters, which is always the same. */
function withoutParameters(endpoint: Endpoint, schema: NonNullable<Endpoint['query']>): unknown {
  const known = defaultQueries.get(endpoint)
  if (known !== undefined) return known
  const query = Object.freeze(readValue(schema, {}, 'query'))
  defaultQueries.set(endpoint, query)
  return query
}

/** Parses the body and checks the lengths of its values. Does not check the schema yet. Throws 415 or 400. */
export function readRawBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (!endpoint.body) return undefined
  const bytes = request.body as Buffer | undefined
  if (!bytes || bytes.length === 0) {
    if (endpoint.bodyOptional) return {}
    throw invalid('body is required')
  }
  const consumes = endpoint.consumes ?? 'application/json'
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw new Refusal(415, 'the body must not be compressed: Content-Encoding is not supported')
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== consumes) throw new Refusal(415, `the body must be ${consumes}`)
  const body = consumes === 'application/json' ? readJson(bytes) : readForm(bytes)
  refuseExcess(endpoint.body, body, 'body', endpoint.listsFaults)
  return body
}

export function readBody(endpoint: Endpoint, rawBody: unknown): unknown {
  return endpoint.body ? parseBounded(endpoint.body, rawBody, 'body', endpoint.listsFaults) : undefined
}

interface ReadInput {
  params: unknown
  query: unknown
  body: unknown
  cookieSession: CookieSession | null
}

/** Returns the input of a handler. The context is passed separately. */
export function inputOf(services: Services, request: FastifyRequest, read: ReadInput) {
  const { headers } = request
  return {
    ...read,
    headers,
    get url() {
      return new URL(request.url, services.config.publicUrl).href
    },
  }
}

/** Checks the lengths of a value, and then its schema. @throws 400 with the first fault */
export function readValue<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  refuseExcess(schema, value, root)
  return parseBounded(schema, value, root) as z.output<S>
}

/** Lengths are checked before the schema, because validating very long values could take much time. */
function refuseExcess(schema: z.ZodType, value: unknown, root: string, listsFaults = false): void {
  const excess = findExcess(boundsOf(schema), value)
  if (!excess) return
  const errors = [{ path: fieldName(excess.path, ''), message: excess.text }]
  throw new Refusal(400, `${fieldName(excess.path, root)} ${excess.text}`, { extra: listsFaults ? { errors } : {} })
}

/** Maximum number of faults that a response lists. */
const mostFaults = 20

function parseBounded(schema: z.ZodType, value: unknown, root: string, listsFaults = false): unknown {
  const result = schema.safeParse(value, firstIssueOnly)
  if (result.success) return result.data
  const text = describeIssue(result.error.issues, root)
  throw new Refusal(400, text, { extra: listsFaults ? { errors: faultsOf(schema, value) } : {} })
}

function faultsOf(schema: z.ZodType, value: unknown): { path: string; message: string }[] {
  return findIssues(schema, value, mostFaults).map((issue) => {
    const path = fieldName(issue.path, '')
    return { path, message: describeIssue([issue], path).slice(path.length).trim() }
  })
}

import type { Endpoint } from '@mandate/contract/endpoint'
import { describeIssue } from '@mandate/contract/refusal-text'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { invalid, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

// Lists take both spellings of their paging parameters.
const otherSpellings: Record<string, string> = {
  limit: 'Limit',
  offset: 'Offset',
  page_size: 'PageSize',
  page_token: 'PageToken',
}

/** Path ids, or 400. */
export function readParams(endpoint: Endpoint, request: FastifyRequest): unknown {
  return endpoint.params ? parse(endpoint.params, request.params, 'path') : undefined
}

/** Known query parameters; unknown ones are ignored. */
export function readQuery(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (!endpoint.query) return undefined
  const given = request.query as Record<string, unknown>
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(endpoint.query.shape)) {
    const other = otherSpellings[name]
    const value = given[name] ?? (other === undefined ? undefined : given[other])
    if (value !== undefined) known[name] = value
  }
  return parse(endpoint.query, known, 'query')
}

/** The body as JSON, before its shape is checked. Throws 415 or 400. */
export function readRawBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (!endpoint.body) return undefined
  const bytes = request.body as Buffer | undefined
  if (!bytes || bytes.length === 0) {
    if (endpoint.bodyOptional) return {}
    throw invalid('body is required')
  }
  const consumes = endpoint.consumes ?? 'application/json'
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== consumes) throw new Refusal(415, `the body must be ${consumes}`)
  if (consumes !== 'application/json') return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
  return parseJson(bytes)
}

export function readBody(endpoint: Endpoint, rawBody: unknown): unknown {
  return endpoint.body ? parse(endpoint.body, rawBody, 'body') : undefined
}

/** What a verb's handler takes beside its context. */
export function inputOf(services: Services, request: FastifyRequest, params: unknown, query: unknown, body: unknown) {
  const { headers } = request
  return {
    params,
    query,
    body,
    headers,
    get url() {
      return new URL(request.url, services.config.publicUrl).href
    },
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('body is not well-formed JSON')
  }
}

function parse(schema: z.ZodType, value: unknown, root: string): unknown {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw invalid(describeIssue(result.error.issues, root))
}

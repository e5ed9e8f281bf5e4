import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './roles.ts'

/**
 * Who may call an endpoint at all. Finer rules (whose row, which field) are the verb's.
 * - `public`: no credential.
 * - `edge`: an agent's or an edge's own key; nothing else.
 * - `role`: a person or an API key whose role ranks at or above it.
 */
export type Access =
  | { by: 'public' }
  | { by: 'edge' }
  | {
      by: 'role'
      role: Role
      /** Academy learners too; others are refused with `academy_only_account`. */
      learners?: boolean
      /** What an environment-bound key gets: `as-manager` caps its authority below owner. */
      boundKey?: 'allowed' | 'refused'
      /** An API key may call it whatever its scopes are. */
      anyScope?: boolean
      /** Only a signed-in person: an API key is refused. */
      sessionOnly?: boolean
    }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ContentType =
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/xml'
  | 'text/html'
  | 'text/javascript'
  | 'text/plain'

/** One endpoint as the wire knows it. `path` is relative to the base path, with `{param}` segments. */
export interface Endpoint {
  method: Method
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** The success statuses and their bodies; `null` is an empty body. The first is the default. */
  answers: Readonly<Record<number, z.ZodType | null>>
  /** Refusal statuses beside 401 and 429. */
  errors: readonly number[]
  codes?: readonly ErrorCode[]
  /**
   * A signed-in person needs a session that has not ended; an access token that is still valid is not enough. For endpoints that
   * answer a secret, store a credential that outlasts the session, give a person more rights, or take a second factor away.
   */
  liveSession?: boolean
  /** Not under the base path (health, documents). */
  absolute?: boolean
  /** The body may be left out. */
  bodyOptional?: boolean
  /** The longest body, in bytes; `body-limit.ts` has the default. A longer one is 413 before it is read. */
  bodyLimitBytes?: number
  /** Bodies other than JSON the endpoint takes, such as a form post from an identity provider. */
  consumes?: 'application/json' | 'application/x-www-form-urlencoded'
  /** Content types of successful answers, if not only JSON. */
  produces?: ContentType | readonly ContentType[]
  /** Refusals by the verb are HTML pages. Refusals that come before the verb stay JSON. */
  refusesWithPage?: boolean
  /** The answer has an `ETag`, and `If-None-Match` may make it 304. */
  notModified?: boolean
}

/** Declares an endpoint, keeping its schemas' types. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}

/** Content types of successful answers; the first is the default. */
export function contentTypesOf({ produces = 'application/json' }: Endpoint): readonly ContentType[] {
  return typeof produces === 'string' ? [produces] : produces
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
export type ParamsOf<E extends Endpoint> = Parsed<E['params']>
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = Parsed<E['body']>

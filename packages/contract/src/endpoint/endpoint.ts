import type { z } from 'zod'
import type { ErrorCode } from '../words/errors.ts'
import type { Role } from '../words/roles.ts'

/**
 * Who may call an endpoint. The function that serves the endpoint checks finer rules, such as which rows and which fields the caller may
 * use.
 * - `public`: no credential.
 * - `edge`: an agent key or an edge key.
 * - `role`: a person or an API key with this role or a higher role.
 */
export type Access =
  | { by: 'public' }
  | { by: 'edge' }
  | {
      by: 'role'
      role: Role
      /** Whether learners may call the endpoint too. Other endpoints refuse learners with `academy_only_account`. */
      learners?: boolean
      /**
       * Whether read-only users may call the endpoint although its method is not `GET`. Set this only for endpoints that change nothing, or
       * nothing but the sign-in and the profile of the caller. Other endpoints refuse read-only users.
       */
      readOnlyUsers?: boolean
      /** Whether an API key that is bound to one environment may call the endpoint. */
      boundKey?: 'allowed' | 'refused'
      /** Whether an API key may call the endpoint without a scope for it. The key's scopes are then not checked. */
      anyScope?: boolean
      /** Whether only a signed-in person may call the endpoint. API keys are then refused. */
      sessionOnly?: boolean
    }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ContentType =
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/xml'
  | 'text/event-stream'
  | 'text/html'
  | 'text/javascript'
  | 'text/plain'

/** An HTTP endpoint. `path` is relative to the base path and has `{param}` segments. */
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
  /** Body schemas by success status; `null` for an empty body. The first status is the default. */
  answers: Readonly<Record<number, z.ZodType | null>>
  /** Error statuses other than 401 and 429. */
  errors: readonly number[]
  codes?: readonly ErrorCode[]
  /**
   * Whether the endpoint refuses a caller whose session has ended. By default a valid access token is enough. Set this for endpoints that
   * return a secret, store a credential that outlives the session, give a person more rights, or remove a second factor.
   */
  liveSession?: boolean
  /**
   * How the endpoint takes part in sessions whose refresh token is in a cookie.
   * - `opens`: with the header `Mandate-Session: cookie`, the refresh token of the new session is in the cookie and not in the body.
   * - `accepts`: the cookie may stand for the credential and the body. A request with the cookie needs the header.
   */
  cookieSession?: 'opens' | 'accepts'
  /** Whether the path is outside the base path, as `/healthz` is. */
  absolute?: boolean
  /** Whether the body is optional. */
  bodyOptional?: boolean
  /** Whether a 400 for the body lists the faults in `errors`. */
  listsFaults?: boolean
  /** Maximum body size in bytes; `body-limit.ts` has the default. A larger body gets 413 before it is read. */
  bodyLimitBytes?: number
  /** Content type of the request body; JSON by default. The form type is for endpoints to which a browser posts a form. */
  consumes?: 'application/json' | 'application/x-www-form-urlencoded'
  /** Content types of successful responses; JSON by default. */
  produces?: ContentType | readonly ContentType[]
  /** Whether the endpoint's own error responses are HTML pages. Errors that occur before its function is called are JSON. */
  refusesWithPage?: boolean
  /** Whether a successful response goes on until the server or the client ends it. */
  staysOpen?: boolean
  /** Whether the response has an `ETag`, so that `If-None-Match` can cause a 304. */
  notModified?: boolean
}

/** Declares an endpoint and keeps the types of its schemas. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}

/** Content types of successful responses; the first is the default. */
export function contentTypesOf({ produces = 'application/json' }: Endpoint): readonly ContentType[] {
  return typeof produces === 'string' ? [produces] : produces
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
export type ParamsOf<E extends Endpoint> = Parsed<E['params']>
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = Parsed<E['body']>

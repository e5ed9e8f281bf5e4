import type { Readable } from 'node:stream'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '@mandate/contract/endpoint/endpoint'
import type { z } from 'zod'
import type { EdgeActor, Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import type { CookieSession } from '../cookies/session-cookie.ts'

/**
 * The type of actor that may call the endpoint, according to its declared access. It is null if the session cookie stands for the
 * credential.
 */
export type ActorOf<E extends Endpoint> = E['access'] extends { by: 'public' }
  ? null
  : E['access'] extends { by: 'edge' }
    ? EdgeActor
    : E extends { cookieSession: 'accepts' }
      ? Member | null
      : Member

export interface Input<E extends Endpoint> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  headers: Record<string, string | undefined>
  /** Set if the browser keeps its refresh token in the session cookie. */
  cookieSession: CookieSession | null
  /** The full URL of the request, as the client sees it. */
  url: string
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body returns nothing
type BodyOfAnswer<S> = S extends z.ZodType ? z.output<S> : undefined | void
export type Answer<E extends Endpoint> = {
  [S in keyof E['answers']]: BodyOfAnswer<E['answers'][S]>
}[keyof E['answers']]

interface ReplyOptions {
  status?: number
  headers?: Record<string, string | string[]>
}

/**
 * The result of a handler that sets the status or headers of the response. Other results are sent with the default status of
 * the endpoint.
 */
export class Reply<B> {
  readonly body: B
  readonly options: ReplyOptions

  constructor(body: B, options: ReplyOptions) {
    this.body = body
    this.options = options
  }
}

/** A response that is not JSON. Its content type is one of those that the endpoint `produces`. */
export class Content {
  readonly body: string | Buffer | Readable
  readonly options: ReplyOptions

  constructor(body: string | Buffer | Readable, contentType: string, { status, headers }: ReplyOptions = {}) {
    this.body = body
    this.options = { status, headers: { ...headers, 'content-type': contentType } }
  }
}

/** Returns a response that streams events. Its headers forbid proxies to buffer or compress it, because that would delay the events. */
export function eventStream(stream: Readable): Content {
  const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }
  return new Content(stream, 'text/event-stream; charset=utf-8', { headers })
}

/** The response 304: the client's copy is current. */
export class NotModified {
  readonly etag: string

  constructor(etag: string) {
    this.etag = etag
  }
}

/** JSON text from the database, which is sent unchanged. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type NotModifiedOf<E extends Endpoint> = E extends { notModified: true } ? NotModified : never
type ContentOf<E extends Endpoint> = E extends { produces: unknown } ? Content : never

export type Handler<E extends Endpoint> = (
  ctx: Ctx<ActorOf<E>>,
  input: Input<E>,
) => Promise<Answer<E> | Reply<Answer<E>> | RawJson | ContentOf<E> | NotModifiedOf<E>>

export interface RouteOptions<E extends Endpoint> {
  /**
   * Runs only if the body is malformed, before the 400 is sent. Throws the 403 or 404 that must be sent instead. It does not
   * run for a well-formed body: the handler then makes the same checks inside its transaction.
   */
  beforeBadBody?: (ctx: Ctx<ActorOf<E>>, params: ParamsOf<E>, rawBody: unknown) => Promise<unknown>
  /**
   * True if this read is one short statement. The statement is then sent to the database together with the query that verifies
   * the caller.
   */
  readsAhead?: (query: QueryOf<E>, actor: Member) => boolean
  /**
   * For public endpoints, and for requests with the session cookie: how often one client network may call the endpoint. Calls are counted before the body is read. The
   * default is in `count-attempt.ts`.
   */
  attempts?: Attempts | 'unlimited'
  /** For public endpoints that serve pages: returns the page and its headers for a client that is over the limit. */
  tooManyPage?: (retryAfterSeconds: string) => { html: string; headers: Record<string, string> }
}

/** A limit for calls of public endpoints. Endpoints with the same `name` share one count. */
export interface Attempts {
  name: string
  limit: number
  windowSeconds: number
}

export interface Route {
  endpoint: Endpoint
  handle: Handler<Endpoint>
  options: RouteOptions<Endpoint>
}

/** Connects an endpoint of the contract with the function that serves it. */
export function on<E extends Endpoint>(endpoint: E, handle: Handler<E>, options: RouteOptions<E> = {}): Route {
  return { endpoint, handle, options } as unknown as Route
}

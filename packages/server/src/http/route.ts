import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '@mandate/contract/endpoint'
import type { z } from 'zod'
import type { EdgeActor, Member } from '../authz/actor.ts'
import type { Ctx } from './ctx.ts'

/** The actor an endpoint's declared access leaves. */
export type ActorOf<E extends Endpoint> = E['access'] extends { by: 'public' }
  ? null
  : E['access'] extends { by: 'edge' }
    ? EdgeActor
    : Member

export interface Input<E extends Endpoint> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  headers: Record<string, string | undefined>
  /** The request's full URL, as the caller sees it. */
  url: string
}

// biome-ignore lint/suspicious/noConfusingVoidType: a verb that answers nothing returns nothing
type BodyOfAnswer<S> = S extends z.ZodType ? z.output<S> : undefined | void
export type Answer<E extends Endpoint> = {
  [S in keyof E['answers']]: BodyOfAnswer<E['answers'][S]>
}[keyof E['answers']]

/** An answer that is more than its body: another status, or headers. */
export class Reply<B = unknown> {
  readonly body: B
  readonly options: { status?: number; headers?: Record<string, string | string[]> }

  constructor(body: B, options: { status?: number; headers?: Record<string, string | string[]> }) {
    this.body = body
    this.options = options
  }
}

/** JSON that is text already, sent as it is. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Handler<E extends Endpoint> = (
  ctx: Ctx<ActorOf<E>>,
  input: Input<E>,
) => Promise<Answer<E> | Reply<Answer<E> | unknown> | RawJson>

export interface RouteOptions<E extends Endpoint> {
  /**
   * Runs only when the body is malformed, before that is said: throws the 403 or 404 that comes first.
   * A well-formed request never pays for it; the verb makes the same checks inside its transaction.
   */
  beforeBadBody?: (ctx: Ctx<ActorOf<E>>, params: ParamsOf<E>, rawBody: unknown) => Promise<unknown>
  /** Whether this read is one short statement, which may start in the same round trip as the look-up of the caller. */
  readsAhead?: (query: QueryOf<E>, actor: Member) => boolean
}

export interface Route {
  endpoint: Endpoint
  handle: Handler<Endpoint>
  options: RouteOptions<Endpoint>
}

/** Joins an endpoint of the contract to the verb that serves it. */
export function on<E extends Endpoint>(endpoint: E, handle: Handler<E>, options: RouteOptions<E> = {}): Route {
  return { endpoint, handle, options } as unknown as Route
}

import type { Endpoint } from '@mandate/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EdgeActor, Member } from '../authz/actor.ts'
import type { Services } from '../services.ts'
import { type Ctx, makeCtx } from './ctx.ts'
import { checkDeclaredAccess, type Gate } from './gate.ts'
import { isSame } from './read-ahead.ts'
import { readBody, readParams, readQuery, readRawBody } from './read-input.ts'
import { RawJson, Reply, type Route } from './route.ts'

export const basePath = '/api/v1'

interface Admitted {
  ctx: Ctx<Member | EdgeActor | null>
  params: unknown
  ahead: ReadAhead | undefined
}

/** A read sent for who the caller was the last time. */
interface ReadAhead {
  actor: Member
  answer: Promise<unknown>
}

/**
 * Serves one endpoint. The order of refusals is the interface's: credentials, rate, key scope, path ids, what the caller
 * may do, query and body; states are the verb's. The first four run before the body is read.
 */
export function bind(app: FastifyInstance, route: Route, services: Services, gate: Gate): void {
  const { endpoint } = route
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint),
    onRequest: async (request, reply) => {
      const { authorization } = request.headers
      const info = { id: request.id, ip: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, 500) }
      const last =
        route.options.readsAhead && authorization !== undefined ? gate.lastActors.of(authorization) : undefined
      const admission = gate.admit(endpoint, authorization, reply)
      const ahead = last?.actor && readAhead(route, makeCtx(services, last.actor, info), request)
      const actor = await admission.catch((refusal) => {
        last?.forget()
        throw refusal
      })
      last?.remember(actor as Member)
      const params = readParams(endpoint, request)
      checkDeclaredAccess(endpoint, actor)
      admitted.set(request, { ctx: makeCtx(services, actor, info), params, ahead })
    },
    handler: async (request, reply) => {
      const { ctx, params, ahead } = admitted.get(request) as Admitted
      if (ahead && isSame(ahead.actor, ctx.actor as Member)) return send(endpoint, reply, await ahead.answer)
      const query = readQuery(endpoint, request)
      const body = await readBodyInOrder(route, ctx, params, request)
      const answer = await route.handle(ctx as Ctx<never>, inputOf(services, request, params, query, body) as never)
      return send(endpoint, reply, answer)
    },
  })
}

/** Starts the read; a request that would be refused starts none, and is refused in its turn. */
function readAhead(route: Route, ctx: Ctx<Member>, request: FastifyRequest): ReadAhead | undefined {
  const { endpoint } = route
  try {
    checkDeclaredAccess(endpoint, ctx.actor)
    const query = readQuery(endpoint, request)
    if (!route.options.readsAhead?.(query as never, ctx.actor)) return undefined
    const input = inputOf(ctx.services, request, readParams(endpoint, request), query, undefined)
    const answer = route.handle(ctx as Ctx<never>, input as never)
    // Thrown where it is awaited, if it is.
    answer.catch(() => {})
    return { actor: ctx.actor, answer }
  } catch {
    return undefined
  }
}

function inputOf(services: Services, request: FastifyRequest, params: unknown, query: unknown, body: unknown) {
  const { headers } = request
  return {
    params,
    query,
    body,
    headers,
    get url() {
      return publicUrl(services, request)
    },
  }
}

async function readBodyInOrder(route: Route, ctx: Admitted['ctx'], params: unknown, request: FastifyRequest) {
  let rawBody: unknown
  try {
    rawBody = readRawBody(route.endpoint, request)
    return readBody(route.endpoint, rawBody)
  } catch (refusal) {
    await route.options.beforeBadBody?.(ctx as Ctx<never>, params as never, rawBody)
    throw refusal
  }
}

function send(endpoint: Endpoint, reply: FastifyReply, answer: unknown): FastifyReply {
  const { body, options } = answer instanceof Reply ? answer : { body: answer, options: {} as Reply['options'] }
  for (const [name, value] of Object.entries(options.headers ?? {})) reply.header(name, value)
  reply.code(options.status ?? defaultStatus(endpoint))
  if (body === undefined) return reply.send()
  if (body instanceof RawJson) return reply.type('application/json; charset=utf-8').send(body.text)
  return reply.send(body)
}

/** The highest declared success: 201 of a create that may also answer 200. */
function defaultStatus(endpoint: Endpoint): number {
  return Math.max(...Object.keys(endpoint.answers).map(Number))
}

export function fastifyPath(endpoint: Endpoint): string {
  return pathOf(endpoint).replaceAll(/\{(\w+)\}/g, ':$1')
}

/** From the root, with `{param}` segments. */
export function pathOf(endpoint: Endpoint): string {
  return (endpoint.absolute ? '' : basePath) + endpoint.path
}

function publicUrl(services: Services, request: FastifyRequest): string {
  return new URL(request.url, services.config.publicUrl).href
}

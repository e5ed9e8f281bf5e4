import type { Endpoint } from '@mandate/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EdgeActor, Member } from '../authz/actor.ts'
import type { Services } from '../services.ts'
import { actAhead, mayActAhead, type ReadAhead, readAhead } from './ahead.ts'
import { type Ctx, makeCtx, makeCtxAhead, type RequestInfo } from './ctx.ts'
import { GateRefusal } from './errors.ts'
import { checkDeclaredAccess, type Gate, rateHeaders } from './gate.ts'
import { isSame, type LastActor } from './last-actors.ts'
import type { RateState } from './rate-limits.ts'
import { inputOf, readBody, readParams, readQuery, readRawBody } from './read-input.ts'
import type { KeyCaller } from './require-same-caller.ts'
import { RawJson, Reply, type Route } from './route.ts'

export const basePath = '/api/v1'

interface Admitted {
  ctx: Ctx<Member | EdgeActor | null>
  params: unknown
  read: ReadAhead | undefined
}

/** A request that acts for who its caller was the last time; counted. */
interface Begun {
  last: LastActor
  actor: KeyCaller
  rate: RateState
}

/**
 * Serves one endpoint. The order of refusals is the interface's: credentials, rate, key scope, path ids, what the caller
 * may do, query and body; states are the verb's. The first four run before the body is read, but for a change made ahead.
 */
export function bind(app: FastifyInstance, route: Route, services: Services, gate: Gate): void {
  const { endpoint } = route
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const begun = new WeakMap<FastifyRequest, Begun>()

  const admit = async (request: FastifyRequest, reply: FastifyReply, last?: LastActor, counted?: RateState) => {
    const info = infoOf(request)
    const admission = gate.admit(endpoint, request.headers.authorization, reply, counted)
    const read = last?.actor && readAhead(route, makeCtx(services, last.actor, info), request)
    const actor = await admission.catch((refusal) => {
      last?.forget()
      throw refusal
    })
    last?.remember(actor as Member)
    const params = readParams(endpoint, request)
    checkDeclaredAccess(endpoint, actor)
    return { ctx: makeCtx(services, actor, info, endpoint.liveSession), params, read }
  }

  const act = async (request: FastifyRequest, { ctx, params, read }: Admitted): Promise<unknown> => {
    if (read && isSame(read.actor, ctx.actor as Member)) return await read.answer
    const query = readQuery(endpoint, request)
    const body = await readBodyInOrder(route, ctx, params, request)
    return await route.handle(ctx as Ctx<never>, inputOf(services, request, params, query, body) as never)
  }

  const actAheadOrAdmit = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { last, actor, rate } = begun.get(request) as Begun
    reply.headers(rateHeaders(rate))
    const done = await actAhead(route, rate, makeCtxAhead(services, actor, infoOf(request)), request)
    if (done !== 'refused') return done.answer
    for (const name of Object.keys(rateHeaders(rate))) reply.removeHeader(name)
    const now = await admit(request, reply, last, rate).catch(async (refusal) => {
      if (refusal instanceof GateRefusal && refusal.status === 401) await gate.uncount(actor)
      throw refusal
    })
    return await act(request, now)
  }

  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint),
    onRequest: async (request, reply) => {
      const last = remembers(route) ? gate.lastActors.of(request.headers.authorization) : undefined
      const actor = last?.actor
      if (last && actor && mayActAhead(route, actor, request)) {
        begun.set(request, { last, actor, rate: await gate.count(actor) })
      } else {
        admitted.set(request, await admit(request, reply, last))
      }
    },
    handler: async (request, reply) => {
      const caller = admitted.get(request)
      const answer = caller ? await act(request, caller) : await actAheadOrAdmit(request, reply)
      return send(endpoint, reply, answer)
    },
  })
}

const remembers = ({ options }: Route) => options.readsAhead !== undefined || options.actsAhead === true

const infoOf = ({ id, ip, headers }: FastifyRequest): RequestInfo => ({
  id,
  ip,
  userAgent: (headers['user-agent'] ?? '').slice(0, 500),
})

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

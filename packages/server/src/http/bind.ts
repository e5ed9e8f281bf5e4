import { Readable } from 'node:stream'
import { maxBodyBytes } from '@mandate/contract/endpoint/body-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestInfo } from '../audit/record-audit.ts'
import type { EdgeActor, Member } from '../authz/actor.ts'
import { bearerToken } from '../caller/bearer-token.ts'
import { type Ctx, makeCtx } from '../caller/ctx.ts'
import type { Services } from '../services.ts'
import { defaultStatus, send } from './answers/send.ts'
import { noteOpened } from './connections/request-end.ts'
import { type CookieSession, cookieSessionOf } from './cookies/session-cookie.ts'
import { countAttempt } from './gate/count-attempt.ts'
import { checkDeclaredAccess, type Gate } from './gate/gate.ts'
import { type ReadAhead, readAhead } from './gate/read-ahead.ts'
import { inputOf, readBody, readParams, readQuery, readRawBody } from './input/read-input.ts'
import { fastifyPath } from './routes/endpoint-path.ts'
import { Content, type Route } from './routes/route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null
  }
  interface FastifyContextConfig {
    /** True if only edges and agents call the endpoint. */
    isForEdges?: boolean
    /** True if the response goes on until the server or the client ends it. */
    staysOpen?: boolean
  }
}

/** A request whose caller is known and may use the endpoint. */
interface Admitted {
  actor: Member | EdgeActor | null
  info: RequestInfo
  /** The time of the request, ISO 8601. */
  now: string
  params: unknown
  early: ReadAhead | undefined
  cookieSession: CookieSession | null
}

/**
 * Serves one endpoint. The order of the checks is part of the API: (1) origin of a request with a cookie session, (2) attempts per
 * client on a public endpoint, (3) credential, (4) rate limit, (5) scopes of the API key, (6) ids in the path, (7) role and other
 * access that the endpoint declares, (8) query, (9) body. Checks 1 to 7 run before the body is read. The verb (the function behind the endpoint) then
 * checks everything that depends on stored state.
 */
export function bind(app: FastifyInstance, route: Route, services: Services, gate: Gate): void {
  const { endpoint } = route
  const { liveSession } = endpoint
  const status = defaultStatus(endpoint)

  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<Admitted> => {
    const info = infoOf(request)
    const now = new Date().toISOString()
    const cookieSession = cookieSessionOf(endpoint, request.headers, services.config.publicUrl)
    // The session cookie stands for the bearer token, so a bearer token that is sent too has no meaning.
    const isPublic = endpoint.access.by === 'public' || (cookieSession !== null && endpoint.cookieSession === 'accepts')
    if (isPublic) await countAttempt(services, route, info.ip)
    const token = isPublic ? null : bearerToken(request.headers.authorization)
    const last = route.options.readsAhead && gate.lastActors.of(token)
    const admission = isPublic ? Promise.resolve(null) : gate.admit(endpoint, token, reply, now)
    const early = last?.actor && readAhead(route, makeCtx(services, last.actor, info, { now }), request)
    const actor = await (last ? last.update(admission) : admission)
    const params = readParams(endpoint, request)
    checkDeclaredAccess(endpoint, actor)
    return { actor, info, now, params, early, cookieSession }
  }

  const act = async (request: FastifyRequest, admitted: Admitted): Promise<unknown> => {
    const { actor, info, now, params, early, cookieSession } = admitted
    // The early read was started as the cached actor, before the credential was verified. Its answer may be used only if the
    // verified actor equals the cached actor. `LastActor.update` then returns the same object.
    if (early && early.actor === actor) return await early.answer
    const ctx = makeCtx(services, actor, info, { liveSession, now })
    const query = readQuery(endpoint, request)
    const body = await readBodyInOrder(route, ctx, params, request)
    const input = inputOf(services, request, { params, query, body, cookieSession })
    return await route.handle(ctx as Ctx<never>, input as never)
  }

  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint),
    bodyLimit: maxBodyBytes(endpoint),
    config: { isForEdges: endpoint.access.by === 'edge', staysOpen: endpoint.staysOpen === true },
    onRequest: async (request, reply) => {
      request.admitted = await admit(request, reply)
    },
    ...(endpoint.staysOpen && { onSend: noteOpened }),
    handler: async (request, reply) => {
      const answer = await act(request, request.admitted as Admitted)
      return send(reply, status, request.method === 'HEAD' ? withoutStream(answer) : answer)
    },
  })
}

/** Ends the stream of a response to HEAD. Fastify would read it to its end, and a stream of events has none. */
function withoutStream(answer: unknown): unknown {
  if (!(answer instanceof Content && answer.body instanceof Readable)) return answer
  answer.body.destroy()
  return new Content('', String(answer.options.headers?.['content-type']), answer.options)
}

const infoOf = ({ id, clientAddress, headers }: FastifyRequest): RequestInfo => ({
  id,
  ip: clientAddress,
  userAgent: (headers['user-agent'] ?? '').slice(0, 500),
})

/**
 * Reads the body. If the body is malformed and the caller has no right to act, throws the 403 or 404 of `beforeBadBody` instead
 * of the 400.
 */
async function readBodyInOrder(route: Route, ctx: Ctx<Admitted['actor']>, params: unknown, request: FastifyRequest) {
  let rawBody: unknown
  try {
    rawBody = readRawBody(route.endpoint, request)
    return readBody(route.endpoint, rawBody)
  } catch (refusal) {
    await route.options.beforeBadBody?.(ctx as Ctx<never>, params as never, rawBody)
    throw refusal
  }
}

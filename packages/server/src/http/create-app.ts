import { bodyTooLarge } from '@mandate/contract/endpoint/body-limit'
import { dashboardPaths } from '@mandate/contract/words/dashboard-paths'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { DatabaseAway, DatabaseFull } from '../db/connections/database-away.ts'
import type { Services } from '../services.ts'
import { answerFor, answerTo, type ErrorAnswer } from './answers/errors.ts'
import { retryReads } from './answers/retry-reads.ts'
import { bind } from './bind.ts'
import { clientAddress } from './connections/client-address.ts'
import { limitConnections, timeoutsOf } from './connections/connections.ts'
import { abortedStatus, isClientAbort, onRequestEnd } from './connections/request-end.ts'
import { answerNoPage, serveDashboard } from './dashboard/serve-dashboard.ts'
import { Gate } from './gate/gate.ts'
import { answerParserError, beginRequest, hostFault, refuseExpectations, refuseTunnels } from './input/parser-errors.ts'
import { parseQuery } from './input/read-query.ts'
import { logRequests, noteRefusal } from './logs/log-requests.ts'
import { pathsToLog } from './logs/logged-path.ts'
import { measureRequests } from './logs/measure-requests.ts'
import { basePathOf, withoutBasePath } from './routes/base-path.ts'
import { methodsByPath } from './routes/method-not-allowed.ts'
import type { Route } from './routes/route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** See `clientAddress`. */
    clientAddress: string
  }
}

// The response to a client that has closed the connection. It is logged and never sent.
const aborted: ErrorAnswer = { status: abortedStatus, body: { error: 'the client closed the request' } }

/** Creates the HTTP server for a list of routes. */
export function createApp(services: Services, routes: readonly Route[]): FastifyInstance {
  const basePath = basePathOf(services.config.publicUrl)
  const app = fastify({
    logger: false,
    ...timeoutsOf(services.config.connections),
    // While the server shuts down, it still answers requests on open connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: false, querystringParser: parseQuery },
    rewriteUrl: ({ url = '/' }) => withoutBasePath(url, basePath),
    genReqId: beginRequest,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      const answer = answerFor(error) ?? { status: 400, body: { error: 'the request is not well-formed' } }
      void (reply as FastifyReply).header('x-request-id', request.id).code(answer.status).send(answer.body)
    },
  })
  refuseExpectations(app.server)
  refuseTunnels(app.server)
  // The body is kept as bytes until the caller's rights are checked. `read-input.ts` then parses it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', (request, reply, done) => {
    request.clientAddress = clientAddress(request.raw, services.config.trustProxy)
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    // While the server shuts down, each response closes its connection. The client opens a new connection for its next request,
    // and a load balancer can send that connection to another instance.
    if (services.lifecycle.draining) reply.header('connection', 'close')
    const error = hostFault(request.raw)
    if (error !== null) void reply.code(400).header('connection', 'close').send({ error })
    else done()
  })
  limitConnections(app, services.config.connections, !services.config.trustProxy)
  onRequestEnd(app, [logRequests(app, services, pathsToLog(routes)), measureRequests(services.metrics)])
  app.setErrorHandler(async (error, request, reply) => {
    const isLost = error instanceof DatabaseAway || error instanceof DatabaseFull
    if (isLost) services.log.warn({ reason: error.message, request_id: request.id }, 'the database cannot be reached')
    const isDiskFull = isLost && (await services.diskRoom.isFull())
    const { isForEdges = false } = request.routeOptions.config
    const answer =
      tooLarge(error, request) ??
      answerTo(error, { method: request.method, isForEdges, isDiskFull }) ??
      (isClientAbort(request, error) ? aborted : unexpected(services, error, request.id))
    if (typeof answer.body === 'object') noteRefusal(request, answer.body.error)
    return reply
      .code(answer.status)
      .headers(answer.headers ?? {})
      .send(answer.body)
  })
  const methodsOf = methodsByPath([
    ...routes.map((route) => route.endpoint),
    ...dashboardPaths.map((path) => ({ method: 'GET' as const, path, absolute: true })),
  ])
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = methodsOf(request.url.split('?')[0] ?? '')
    if (methods.length === 0) return answerNoPage(request, reply) ?? reply.code(404).send({ error: 'no such path' })
    return reply.code(405).header('allow', methods.join(', ')).send({ error: 'method not allowed' })
  }
  app.setNotFoundHandler(answerNoRoute)
  // Answers before the body is read. Without this hook, Fastify would read the body first, and answer 413 if it is too long.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void answerNoRoute(request, reply)
    else done()
  })
  // Streams stay open until they are ended. Without this, the server would wait for them when it shuts down.
  app.addHook('preClose', async () => services.events.end())
  app.decorateRequest('admitted', null)
  const gate = new Gate(services)
  for (const route of routes) bind(app, retryReads(route), services, gate)
  serveDashboard(app, services.config)
  return app
}

function tooLarge(error: unknown, request: FastifyRequest): ErrorAnswer | null {
  if ((error as { code?: unknown }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return null
  return { status: 413, body: { error: bodyTooLarge(request.routeOptions.bodyLimit) } }
}

function unexpected(services: Services, error: unknown, requestId: string): ErrorAnswer {
  services.log.error({ err: error, request_id: requestId }, 'unexpected error')
  return { status: 500, body: { error: 'internal error', request_id: requestId } }
}

import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientNetwork } from './client-network.ts'

/** Limits of connections. All times are in milliseconds. */
export interface ConnectionLimits {
  /** Maximum time for a whole request, from its first byte to the last byte of its body. */
  requestMs: number
  /**
   * Maximum time for receiving the headers of a request. The same limit applies to the body until a credential of the request
   * has been accepted. It also applies to the part of a body that is unread when the response has been sent.
   */
  unauthenticatedMs: number
  /** Maximum number of open connections without an accepted credential, per client network. */
  unauthenticatedPerClient: number
  /** Maximum number of open connections without an accepted credential, for all clients together. */
  unauthenticatedTotal: number
}

/** Converts `limits` to options of Node's HTTP server. */
export function timeoutsOf({ requestMs, unauthenticatedMs }: ConnectionLimits) {
  const headersTimeout = Math.min(unauthenticatedMs, requestMs)
  return {
    requestTimeout: requestMs,
    // `create-app.ts` answers a request without `Host`. Node would answer it without a body and a request id.
    http: {
      requireHostHeader: false,
      headersTimeout,
      connectionsCheckingInterval: Math.min(5000, Math.max(50, headersTimeout / 2)),
    },
  }
}

/**
 * For each request with a body, a function that stops the timer of the request. The timer closes the connection if the body is
 * slow. `acceptConnection` calls the function when a credential of the request has been accepted.
 */
const authenticated = new WeakMap<FastifyRequest['raw'], () => void>()
/**
 * For each connection without an accepted credential, a function that removes the connection from the counts. The function is
 * called when a credential has been accepted, or when the connection closes.
 */
const unauthenticatedSockets = new WeakMap<Socket, () => void>()

/**
 * Call when a credential of the request is accepted. Reading the body may then take longer, and the connection no longer counts
 * as unauthenticated.
 */
export function acceptConnection({ raw }: FastifyRequest): void {
  unauthenticatedSockets.get(raw.socket)?.()
  authenticated.get(raw)?.()
}

/**
 * Closes connections without an accepted credential if a request is slow. If there are too many of these connections, closes
 * the oldest. Set `countClients` to false behind a proxy, because all connections then come from the proxy.
 */
export function limitConnections(app: FastifyInstance, limits: ConnectionLimits, countClients: boolean): void {
  const all = new Set<Socket>()
  const byClient = new Map<string, Set<Socket>>()
  app.server.on('connection', (socket: Socket) => {
    const client = countClients ? clientNetwork(socket.remoteAddress ?? '') : ''
    const own = byClient.get(client) ?? new Set()
    byClient.set(client, own)
    const forget = () => {
      all.delete(socket)
      own.delete(socket)
      if (own.size === 0 && byClient.get(client) === own) byClient.delete(client)
      unauthenticatedSockets.delete(socket)
    }
    if (countClients && own.size >= limits.unauthenticatedPerClient) oldestOf(own)?.destroy()
    if (all.size >= limits.unauthenticatedTotal) oldestOf(all)?.destroy()
    all.add(socket)
    own.add(socket)
    unauthenticatedSockets.set(socket, forget)
    socket.once('close', forget)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) closeSlowBody(request, limits.unauthenticatedMs)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.complete) limitUnreadBody(request.raw, limits.unauthenticatedMs)
    done()
  })
}

/** Maximum number of bytes of an unread body that the server reads after its response. */
const mostUnreadBytes = 1024 * 1024
const unreadCheckMs = 50

/**
 * Limits how much of an unread body is read after the response, for example after a refused request or a `GET` with a body.
 * Without this limit, Node would read all of it. If the rest of the body is short, it is read and dropped, so the client can
 * read the response and use the connection again. If it is long or slow, the connection is closed.
 */
function limitUnreadBody(raw: FastifyRequest['raw'], milliseconds: number): void {
  const { socket } = raw
  // A request of `app.inject` has no connection.
  if (!(socket instanceof Socket)) return
  const answered = { at: performance.now(), bytes: socket.bytesRead }
  const timer = setInterval(() => {
    const isOver = socket.bytesRead - answered.bytes > mostUnreadBytes || performance.now() - answered.at > milliseconds
    if (isOver || raw.complete || socket.destroyed) clearInterval(timer)
    if (isOver) socket.destroy()
  }, unreadCheckMs)
}

function closeSlowBody({ raw }: FastifyRequest, milliseconds: number): void {
  const timer = setTimeout(() => raw.socket.destroy(), milliseconds)
  const stop = () => clearTimeout(timer)
  authenticated.set(raw, stop)
  raw.once('end', stop)
  raw.once('close', stop)
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const oldestOf = (sockets: Set<Socket>): Socket | undefined => sockets.values().next().value

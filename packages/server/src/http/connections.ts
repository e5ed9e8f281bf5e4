import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientNetwork } from './client-network.ts'

/** Limits of connections. Times are in milliseconds. */
export interface ConnectionLimits {
  /** Time for a whole request, from its first byte to the last byte of its body. */
  requestMs: number
  /** The limit for a request until a credential is accepted. Also the limit for the headers of every request. */
  unauthenticatedMs: number
  /** Limits for open connections without an accepted credential: per client network, and in total. */
  unauthenticatedPerClient: number
  unauthenticatedTotal: number
}

/** The HTTP server's options for `limits`. */
export function timeoutsOf({ requestMs, unauthenticatedMs }: ConnectionLimits) {
  const headersTimeout = Math.min(unauthenticatedMs, requestMs)
  return {
    requestTimeout: requestMs,
    http: { headersTimeout, connectionsCheckingInterval: Math.min(5000, Math.max(50, headersTimeout / 2)) },
  }
}

/** Callbacks that lift the limits for a request and its connection when a credential is accepted. */
const authenticated = new WeakMap<FastifyRequest['raw'], () => void>()
const unauthenticatedSockets = new WeakMap<Socket, () => void>()

/** Called when a credential of the request is accepted. Its body may then take longer, and its connection no longer counts. */
export function acceptConnection({ raw }: FastifyRequest): void {
  unauthenticatedSockets.get(raw.socket)?.()
  authenticated.get(raw)?.()
}

/**
 * Closes connections without an accepted credential: those with a slow request, and the oldest ones if there are too many. Set
 * `countClients` to false behind a proxy, because all connections then come from the proxy.
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

/** The most bytes of an unread body that the server reads after its response. */
const mostUnreadBytes = 1024 * 1024
const unreadCheckMs = 50

/**
 * Limits the unread rest of a body, for example of a refused request or of a `GET`. Node would read and drop it without a limit. A short
 * rest is dropped, so the client can read the response and use the connection again. A longer or slower rest closes the connection.
 */
function limitUnreadBody(raw: FastifyRequest['raw'], milliseconds: number): void {
  const { socket } = raw
  const answered = { at: performance.now(), bytes: socket.bytesRead }
  const timer = setInterval(() => {
    const isOver = socket.bytesRead - answered.bytes > mostUnreadBytes || performance.now() - answered.at > milliseconds
    if (isOver) socket.destroy()
    if (isOver || raw.complete || socket.destroyed) clearInterval(timer)
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

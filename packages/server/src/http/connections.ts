import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientNetwork } from './client-network.ts'

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** For a whole request, from its first byte to the last one of its body. */
  requestMs: number
  /** The same as long as no credential was accepted, and for the headers of every request. */
  unauthenticatedMs: number
  /** Open connections that have brought no accepted credential yet: of one client network, and of all. */
  unauthenticatedPerClient: number
  unauthenticatedTotal: number
}

/** The options of the HTTP server that hold `limits`. */
export function timeoutsOf({ requestMs, unauthenticatedMs }: ConnectionLimits) {
  const headersTimeout = Math.min(unauthenticatedMs, requestMs)
  return {
    requestTimeout: requestMs,
    http: { headersTimeout, connectionsCheckingInterval: Math.min(5000, Math.max(50, headersTimeout / 2)) },
  }
}

/** What tells a connection or a request of whom a credential was accepted from those of strangers. */
const authenticated = new WeakMap<FastifyRequest['raw'], () => void>()
const strangersOf = new WeakMap<Socket, () => void>()

/** A credential of the request was accepted: its body may take longer, and its connection is no stranger's any more. */
export function acceptConnection({ raw }: FastifyRequest): void {
  strangersOf.get(raw.socket)?.()
  authenticated.get(raw)?.()
}

/**
 * Closes connections that bring no accepted credential: those whose request takes too long, and the oldest ones where there
 * are too many. Behind a proxy every connection is the proxy's, so `countClients` is false there.
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
      strangersOf.delete(socket)
    }
    if (countClients && own.size >= limits.unauthenticatedPerClient) oldestOf(own)?.destroy()
    if (all.size >= limits.unauthenticatedTotal) oldestOf(all)?.destroy()
    all.add(socket)
    own.add(socket)
    strangersOf.set(socket, forget)
    socket.once('close', forget)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (bringsBody(request)) closeSlowBody(request, limits.unauthenticatedMs)
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.complete) limitUnreadBody(request.raw, limits.unauthenticatedMs)
    done()
  })
}

/** How much of a body the server still takes in after it answered. */
const mostUnreadBytes = 1024 * 1024
const unreadCheckMs = 50

/**
 * Node reads and drops the rest of a body that nobody read, without an end: of a refused request, or of a `GET`. A short rest is
 * dropped, so that the client gets its answer and may use the connection again. A longer or slower one closes the connection.
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

const bringsBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const oldestOf = (sockets: Set<Socket>): Socket | undefined => sockets.values().next().value

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Milliseconds from the request until the headers of a stream were sent. Null for other responses. */
    openedMs: number | null
  }
}

/** How a request ended. */
export interface RequestEnd {
  /**
   * The status of the response. If the client closed the connection before it had the whole response, this is `abortedStatus`.
   */
  status: number
  aborted: boolean
  /** Milliseconds since the request arrived. */
  milliseconds: number
  /** Milliseconds from the request to the response. Of a stream, this is the time until it was open. */
  answeredMs: number
}

/** The status in logs and metrics for a request whose client closed the connection. It is never sent. */
export const abortedStatus = 499

export type RequestEndListener = (request: FastifyRequest, end: RequestEnd) => void

/** Calls each listener once per request, when the response is sent or the connection is closed. */
export function onRequestEnd(app: FastifyInstance, listeners: readonly RequestEndListener[]): void {
  app.decorateRequest('openedMs', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const end = endOf(request, reply)
      for (const listen of listeners) listen(request, end)
    })
    done()
  })
}

/** Keeps when the headers of a stream are sent. A hook `onSend` of endpoints whose responses stay open. */
export function noteOpened(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
) {
  request.openedMs = reply.elapsedTime
  done(null, payload)
}

function endOf({ routeOptions, openedMs }: FastifyRequest, reply: FastifyReply): RequestEnd {
  // A client ends a stream by closing the connection.
  const isStream = routeOptions.config.staysOpen === true && reply.raw.headersSent
  const aborted = !reply.raw.writableFinished && !isStream
  // If the server failed, the status remains 5xx even if the client closed the connection.
  const status = aborted && reply.statusCode < 500 ? abortedStatus : reply.statusCode
  const milliseconds = reply.elapsedTime
  return { status, aborted, milliseconds, answeredMs: openedMs ?? milliseconds }
}

const abortCodes = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']

/** True if the error was thrown because the client closed the connection before its request was read or answered. */
export function isClientAbort(request: FastifyRequest, error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return request.raw.destroyed && typeof code === 'string' && abortCodes.includes(code)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** The end of a request. */
export interface RequestEnd {
  /** The response's status, or `abortedStatus` if the client closed the connection before it had the whole response. */
  status: number
  aborted: boolean
  /** Milliseconds since the request arrived. */
  milliseconds: number
}

/** The status that logs and metrics show for a request whose client closed the connection. It is never sent. */
export const abortedStatus = 499

export type RequestEndListener = (request: FastifyRequest, end: RequestEnd) => void

/** Calls each listener once per request, when its response is sent or its connection is gone. */
export function onRequestEnd(app: FastifyInstance, listeners: readonly RequestEndListener[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const end = endOf(reply)
      for (const listen of listeners) listen(request, end)
    })
    done()
  })
}

function endOf(reply: FastifyReply): RequestEnd {
  const aborted = !reply.raw.writableFinished
  // An error of the server stays visible as 5xx.
  const status = aborted && reply.statusCode < 500 ? abortedStatus : reply.statusCode
  return { status, aborted, milliseconds: reply.elapsedTime }
}

const abortCodes = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']

/** True if the error was thrown because the client closed the connection before the request was read or answered. */
export function isClientAbort(request: FastifyRequest, error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return request.raw.destroyed && typeof code === 'string' && abortCodes.includes(code)
}

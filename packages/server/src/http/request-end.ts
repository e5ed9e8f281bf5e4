import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How a request ended. */
export interface RequestEnd {
  /** Of the answer; `abortedStatus` when the client went away before it had all of it. */
  status: number
  aborted: boolean
  /** Since the request arrived. */
  milliseconds: number
}

/** Not an answer: what logs and metrics say of a request whose client did not wait for one. */
export const abortedStatus = 499

export type RequestEndListener = (request: FastifyRequest, end: RequestEnd) => void

/** Calls each listener once for each request, when its answer is sent or its connection is gone. */
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
  // Our own fault stays visible as one.
  const status = aborted && reply.statusCode < 500 ? abortedStatus : reply.statusCode
  return { status, aborted, milliseconds: reply.elapsedTime }
}

const abortCodes = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']

/** Whether something was thrown because the client closed the connection before its request was read or answered. */
export function isClientAbort(request: FastifyRequest, error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return request.raw.destroyed && typeof code === 'string' && abortCodes.includes(code)
}

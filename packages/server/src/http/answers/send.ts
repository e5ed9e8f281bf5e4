import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import type { FastifyReply } from 'fastify'
import { Content, NotModified, RawJson, Reply } from '../routes/route.ts'

/** Sends the result of a handler. Uses `status`, unless the result has its own status. */
export function send(reply: FastifyReply, status: number, answer: unknown): FastifyReply {
  if (answer instanceof NotModified) return reply.code(304).header('etag', answer.etag).send()
  if (!(answer instanceof Reply || answer instanceof Content)) return sendBody(reply.code(status), answer)
  const { body, options } = answer
  for (const [name, value] of Object.entries(options.headers ?? {})) reply.header(name, value)
  return sendBody(reply.code(options.status ?? status), body)
}

function sendBody(reply: FastifyReply, body: unknown): FastifyReply {
  if (body === undefined) return reply.send()
  if (body instanceof RawJson) return reply.type('application/json; charset=utf-8').send(body.text)
  return reply.send(body)
}

/** Returns the highest success status that the endpoint declares, for example 201 for an endpoint that declares 200 and 201. */
export function defaultStatus(endpoint: Endpoint): number {
  return Math.max(...Object.keys(endpoint.answers).map(Number))
}

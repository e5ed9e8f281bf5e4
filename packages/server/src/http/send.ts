import type { Endpoint } from '@mandate/contract/endpoint'
import type { FastifyReply } from 'fastify'
import { RawJson, Reply } from './route.ts'

/** Sends what a verb returned. */
export function send(endpoint: Endpoint, reply: FastifyReply, answer: unknown): FastifyReply {
  const { body, options } = answer instanceof Reply ? answer : { body: answer, options: {} as Reply['options'] }
  for (const [name, value] of Object.entries(options.headers ?? {})) reply.header(name, value)
  reply.code(options.status ?? defaultStatus(endpoint))
  if (body === undefined) return reply.send()
  if (body instanceof RawJson) return reply.type('application/json; charset=utf-8').send(body.text)
  return reply.send(body)
}

/** The highest declared success status: 201 for a create that may also answer 200. */
function defaultStatus(endpoint: Endpoint): number {
  return Math.max(...Object.keys(endpoint.answers).map(Number))
}

import type { FastifyRequest } from 'fastify'
import type { Member } from '../authz/actor.ts'
import type { Ctx } from '../caller/ctx.ts'
import { checkDeclaredAccess } from './gate.ts'
import { inputOf, readParams, readQuery } from './read-input.ts'
import type { Route } from './route.ts'

/**
 * A read that was started before its caller was verified. Its result is used only if the verified caller equals `actor`.
 */
export interface ReadAhead {
  actor: Member
  answer: Promise<unknown>
}

/**
 * Starts a read before its caller is verified. The read runs as the cached caller in `ctx`. It starts in the same turn of the
 * event loop as the query that verifies the caller, so the database gets both statements in one round trip. Call this function
 * only for reads.
 * Returns undefined if the route does not read ahead, or if a check would refuse the request. `bind` then runs all checks in
 * their fixed order, and throws the error of the first check that fails.
 */
export function readAhead(route: Route, ctx: Ctx<Member>, request: FastifyRequest): ReadAhead | undefined {
  const { endpoint, options } = route
  if (!options.readsAhead) return undefined
  try {
    checkDeclaredAccess(endpoint, ctx.actor)
    const query = readQuery(endpoint, request)
    if (!options.readsAhead(query as never, ctx.actor)) return undefined
    const input = inputOf(ctx.services, request, readParams(endpoint, request), query, undefined)
    const answer = route.handle(ctx as Ctx<never>, input as never)
    // Without this handler, an error in a result that is not used would be an unhandled rejection. If `bind` uses the result,
    // `bind` awaits `answer` and gets the error.
    answer.catch(() => {})
    return { actor: ctx.actor, answer }
  } catch {
    return undefined
  }
}

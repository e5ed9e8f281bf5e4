import type { FastifyRequest } from 'fastify'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { inputOf, readParams, readQuery } from '../input/read-input.ts'
import type { Route } from '../routes/route.ts'
import { checkDeclaredAccess } from './gate.ts'

/**
 * A read that was started before its caller was verified. Its result is used only if the verified caller equals `actor`.
 */
export interface ReadAhead {
  actor: Member
  answer: Promise<unknown>
}

/**
 * Starts a read while the credential of its caller is still being verified. The read runs as the actor in `ctx`, which an
 * earlier request with this credential cached. The read is sent to the database together with the query that verifies the
 * credential, so the two take only one round trip. Call this function only for reads.
 * Returns undefined if the route does not allow this, or if a check would refuse the request. The function `bind` then runs all
 * checks in their fixed order, and throws the error of the first check that fails.
 */
export function readAhead(route: Route, ctx: Ctx<Member>, request: FastifyRequest): ReadAhead | undefined {
  const { endpoint, options } = route
  if (!options.readsAhead) return undefined
  try {
    checkDeclaredAccess(endpoint, ctx.actor)
    const query = readQuery(endpoint, request)
    if (!options.readsAhead(query as never, ctx.actor)) return undefined
    const params = readParams(endpoint, request)
    const input = inputOf(ctx.services, request, { params, query, body: undefined, cookieSession: null })
    const answer = route.handle(ctx as Ctx<never>, input as never)
    // `bind` may drop `answer` without awaiting it. If `answer` then rejected without this handler, Node would report an
    // unhandled rejection. If `bind` awaits `answer`, it still gets the error.
    answer.catch(() => {})
    return { actor: ctx.actor, answer }
  } catch {
    return undefined
  }
}

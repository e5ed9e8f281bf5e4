import type { FastifyRequest } from 'fastify'
import type { Member } from '../authz/actor.ts'
import type { Ctx } from '../caller/ctx.ts'
import { checkDeclaredAccess } from './gate.ts'
import { inputOf, readParams, readQuery } from './read-input.ts'
import type { Route } from './route.ts'

/** A read that was started before its caller was verified. Its result is used only if the verified caller is `actor`. */
export interface ReadAhead {
  actor: Member
  answer: Promise<unknown>
}

/**
 * Starts the read for the cached caller of the credential, in the same turn as the look-up that verifies the caller. The database then
 * gets both statements in one round trip. Only for reads. Returns undefined if the route does not read ahead or the request would be
 * refused; `bind` then refuses it in the usual order.
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
    // The result may be dropped, so a rejection must not count as unhandled. `bind` sees it when it awaits the result.
    answer.catch(() => {})
    return { actor: ctx.actor, answer }
  } catch {
    return undefined
  }
}

import type { FastifyRequest } from 'fastify'
import type { Member } from '../authz/actor.ts'
import { DatabaseAway } from '../db/database-away.ts'
import type { Ctx } from './ctx.ts'
import { answerFor } from './errors.ts'
import { checkDeclaredAccess, checkRateAndScopes } from './gate.ts'
import type { RateState } from './rate-limits.ts'
import { inputOf, readBody, readParams, readQuery, readRawBody } from './read-input.ts'
import { isStale, type KeyCaller } from './require-same-caller.ts'
import type { Route } from './route.ts'

/** A read sent for who the caller was the last time. */
export interface ReadAhead {
  actor: Member
  answer: Promise<unknown>
}

/** Starts the read; a request that would be refused starts none, and is refused in its turn. */
export function readAhead(route: Route, ctx: Ctx<Member>, request: FastifyRequest): ReadAhead | undefined {
  const { endpoint, options } = route
  if (!options.readsAhead) return undefined
  try {
    checkDeclaredAccess(endpoint, ctx.actor)
    const query = readQuery(endpoint, request)
    if (!options.readsAhead(query as never, ctx.actor)) return undefined
    const input = inputOf(ctx.services, request, readParams(endpoint, request), query, undefined)
    const answer = route.handle(ctx as Ctx<never>, input as never)
    // Thrown where it is awaited, if it is.
    answer.catch(() => {})
    return { actor: ctx.actor, answer }
  } catch {
    return undefined
  }
}

const mostBytesAhead = 65_536

/** Whether a change may begin before its caller is known again: no fault of its body is told before the caller's own. */
export function mayActAhead(route: Route, last: Member, { headers }: FastifyRequest): last is KeyCaller {
  return (
    route.options.actsAhead === true &&
    last.key !== null &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length']) <= mostBytesAhead
  )
}

/**
 * Makes the change for who the caller was the last time. One that is refused, for whatever reason, has changed nothing, and is to be
 * asked for again once the caller is known.
 */
export async function actAhead(
  route: Route,
  rate: RateState,
  ctx: Ctx<KeyCaller>,
  request: FastifyRequest,
): Promise<{ answer: unknown } | 'refused'> {
  const { endpoint } = route
  const { actor, services } = ctx
  try {
    checkRateAndScopes(endpoint, actor, rate)
    const params = readParams(endpoint, request)
    checkDeclaredAccess(endpoint, actor)
    const query = readQuery(endpoint, request)
    const body = readBody(endpoint, readRawBody(endpoint, request))
    const answer = await route.handle(ctx as Ctx<never>, inputOf(services, request, params, query, body) as never)
    // A verb that ended no transaction does not know its caller.
    if (ctx.isAhead) return 'refused'
    services.lastUsed.keyUsed(actor.tenantId, actor.key.id, ctx.now)
    return { answer }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return 'refused'
  }
}

/** Not so where it is unknown whether the change was made. */
function isRefusal(error: unknown): boolean {
  return isStale(error) || (!(error instanceof DatabaseAway) && answerFor(error) !== null)
}

import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import type { FastifyReply } from 'fastify'
import type { EdgeActor, Member } from '../../authz/actor.ts'
import { declaredRefusal, scopeRefusal } from '../../authz/declared-access.ts'
import { type Authenticated, Authenticator } from '../../caller/authenticate.ts'
import type { BearerToken } from '../../caller/bearer-token.ts'
import { requireSessionLive } from '../../caller/still-live.ts'
import type { RateState } from '../../rate-limits/rate-limits.ts'
import { invalidKey, Refusal, throwIfRefused, tooMany } from '../../refusal.ts'
import type { Services } from '../../services.ts'
import { noteCaller } from '../logs/log-requests.ts'
import { LastActors } from './last-actors.ts'

const refusedTexts = {
  no_credentials: 'authentication required',
  invalid_token: 'invalid or expired access token',
} as const

/**
 * Checks the credential of a request, its rate limit and the scopes of its API key. The order of the checks is part of the API.
 */
export class Gate {
  readonly lastActors = new LastActors()
  private readonly authenticator: Authenticator
  private readonly services: Services

  constructor(services: Services) {
    this.services = services
    this.authenticator = new Authenticator(services)
  }

  /**
   * Checks the credential, the rate and the scopes of the key. Runs before the path ids are checked. `now` is the time of the
   * request, ISO 8601.
   */
  async admit(
    endpoint: Endpoint,
    token: BearerToken | null,
    reply: FastifyReply,
    now: string,
  ): Promise<Member | EdgeActor> {
    if (endpoint.access.by === 'edge') return await this.admitEdge(token, reply)
    const actor = actorOf(await this.authenticator.member(token, now))
    noteCaller(reply.request, actor)
    if (endpoint.liveSession) await requireSessionLive(this.services.db.global, actor, now)
    const rate = await this.count(actor)
    if (actor.key) reply.headers(rateHeaders(rate))
    checkRateAndScopes(endpoint, actor, rate)
    return actor
  }

  /** Admits an edge key or an agent key if it is within its rate limit. */
  private async admitEdge(token: BearerToken | null, reply: FastifyReply): Promise<EdgeActor> {
    const actor = actorOf(await this.authenticator.edge(token))
    noteCaller(reply.request, actor)
    const rule = { name: 'edge', limit: this.services.config.edgeRatePerMinute, windowSeconds: 60 }
    requireWithinRate(await this.services.rateLimits.take(rule, `${actor.kind} ${actor.credentialId}`))
    return actor
  }

  /**
   * Counts the request once, when the caller is known. A request with an API key counts for the tenant. A request of a person
   * counts for that user.
   */
  private count(actor: Member): Promise<RateState> {
    const { rateLimits, config } = this.services
    return actor.key
      ? rateLimits.take({ name: 'keys', limit: config.apiRatePerMinute, windowSeconds: 60 }, actor.tenantId)
      : rateLimits.take({ name: 'person', limit: config.sessionRatePerMinute, windowSeconds: 60 }, actor.userId)
  }
}

function requireWithinRate(rate: RateState): void {
  if (rate.allowed) return
  throw tooMany('too many requests', rate.resetSeconds)
}

function checkRateAndScopes(endpoint: Endpoint, actor: Member, rate: RateState): void {
  requireWithinRate(rate)
  throwIfRefused(scopeRefusal(endpoint, actor))
}

/**
 * Checks whether the actor has the access that the endpoint declares. Runs after the path ids are checked and before the body
 * is read.
 */
export function checkDeclaredAccess(endpoint: Endpoint, actor: Member | EdgeActor | null): void {
  if (actor && 'userId' in actor) throwIfRefused(declaredRefusal(endpoint, actor))
}

function actorOf<A>(result: Authenticated<A>): A {
  if ('actor' in result) return result.actor
  const { refused } = result
  throw refused === 'invalid_key' ? invalidKey() : new Refusal(401, refusedTexts[refused])
}

function rateHeaders(state: RateState): Record<string, string> {
  return {
    'ratelimit-limit': String(state.limit),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.resetSeconds),
  }
}

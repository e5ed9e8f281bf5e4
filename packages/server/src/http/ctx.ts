import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { Services } from '../services.ts'
import { explainKeyRefusal, requireKeyStillLive } from './require-key-still-live.ts'
import { type KeyCaller, requireSameCaller } from './require-same-caller.ts'
import { explainSessionRefusal, requireSessionStillLive } from './require-session-live.ts'

/** Who asks, from where: what logs and audit entries carry. */
export interface RequestInfo {
  id: string
  ip: string
  userAgent: string
}

/** What every verb takes first. Knows no HTTP: jobs, the command line and tests make one too. */
export interface Ctx<A extends Actor | null = Actor> {
  actor: A
  services: Services
  request: RequestInfo
  /** The time of the request, ISO 8601; every row a verb writes carries it. */
  now: string
  /** Whether the actor is but who the caller was the last time: so until `finish` has found them the very same. */
  readonly isAhead: boolean
  /** Single statements as the actor's tenant. */
  sql: Sql
  /** One transaction as the actor's tenant. */
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Ends a transaction of `inTenant` along with the statements of this turn of the event loop, which saves waiting for their answers:
   * checks that the key of the request still lives, or ahead of its look-up that the caller is who they were, and commits.
   * Nothing may follow. Fails where they fail; nothing is stored then.
   */
  finish(tx: Tx): Promise<void>
}

/** Transactions that end, or have ended. */
const finished = new WeakMap<Tx, Promise<unknown>>()

type CheckOfCaller = (tx: Tx, now: string) => Promise<void>

/** With `liveSession`, each transaction also checks that the session of a signed-in person has not ended. */
export function makeCtx<A extends Actor | null>(
  services: Services,
  actor: A,
  request: RequestInfo,
  liveSession = false,
): Ctx<A> {
  return contextOf(services, actor, request, async (tx, now) => {
    const checks = [requireKeyStillLive(tx, actor)]
    if (liveSession) checks.push(requireSessionStillLive(tx, actor, now))
    await Promise.all(checks)
  })
}

/** For a change that is made for who the caller was the last time, in one transaction and nothing beside it. */
export function makeCtxAhead(services: Services, actor: KeyCaller, request: RequestInfo): Ctx<KeyCaller> {
  let isAhead = true
  const ctx = contextOf(services, actor, request, async (tx, now) => {
    await requireSameCaller(tx, actor, now)
    isAhead = false
  })
  return Object.defineProperty(ctx, 'isAhead', { get: () => isAhead })
}

function contextOf<A extends Actor | null>(
  services: Services,
  actor: A,
  request: RequestInfo,
  checkCaller: CheckOfCaller,
): Ctx<A> {
  const tenantId = actor?.tenantId ?? ''
  const now = new Date().toISOString()
  const finish = async (tx: Tx) => {
    const ending = finished.get(tx) ?? Promise.all([checkCaller(tx, now), tx.commit()])
    finished.set(tx, ending)
    await ending
  }
  return {
    actor,
    services,
    request,
    now,
    isAhead: false,
    sql: services.db.reader(tenantId),
    inTenant: (work) =>
      services.db
        .transaction(tenantId, async (tx) => {
          const result = await work(tx)
          await finish(tx)
          return result
        })
        .catch((error) => {
          throw explainSessionRefusal(explainKeyRefusal(error))
        }),
    finish,
  }
}

import type { RequestInfo } from '../audit/record-audit.ts'
import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { Services } from '../services.ts'
import { explainCallerRefusal, requireKeyStillLive, requireSessionStillLive } from './still-live.ts'

/**
 * The context that every operation of a feature receives as its first argument. It has no HTTP types, because jobs, the command
 * line and tests create contexts too.
 */
export interface Ctx<A extends Actor | null = Actor> {
  actor: A
  services: Services
  request: RequestInfo
  /** The time of the request, ISO 8601. All rows that the request writes get this time. */
  now: string
  /** Runs single reads. Row-level security limits them to the rows of the actor's tenant. */
  sql: Sql
  /** Runs `work` in a transaction. Row-level security limits it to the rows of the actor's tenant. */
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Completes a transaction of `inTenant`: checks that the API key of the request is not revoked, and commits. The check and
   * the commit are sent to the database together with the other statements of this turn of the event loop, which saves a round
   * trip. No statement may follow.
   * Rejects if any of these statements fails. Nothing is stored in that case.
   */
  finish(tx: Tx): Promise<void>
}

/** Transactions for which `finish` has been called, each with its result. */
const finished = new WeakMap<Tx, Promise<unknown>>()

export interface CtxOptions {
  /** If true, each transaction also checks that the session of a signed-in person has not ended. */
  liveSession?: boolean | undefined
  /** The time of the request, ISO 8601. Default: the current time. */
  now?: string
}

export function makeCtx<A extends Actor | null>(
  services: Services,
  actor: A,
  request: RequestInfo,
  { liveSession = false, now = new Date().toISOString() }: CtxOptions = {},
): Ctx<A> {
  const tenantId = actor?.tenantId ?? ''
  const checksOfCaller = (tx: Tx) => [
    requireKeyStillLive(tx, actor),
    ...(liveSession ? [requireSessionStillLive(tx, actor, now)] : []),
  ]
  const finish = async (tx: Tx) => {
    const ending = finished.get(tx) ?? Promise.all([...checksOfCaller(tx), tx.commit()])
    finished.set(tx, ending)
    await ending
  }
  return {
    actor,
    services,
    request,
    now,
    sql: services.db.reader(tenantId),
    inTenant: (work) =>
      services.db
        .transaction(tenantId, async (tx) => {
          const result = await work(tx)
          await finish(tx)
          return result
        })
        .catch((error) => {
          throw explainCallerRefusal(error)
        }),
    finish,
  }
}

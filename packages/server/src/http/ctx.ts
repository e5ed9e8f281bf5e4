import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { Services } from '../services.ts'
import { requireKeyStillLive } from './require-key-still-live.ts'

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
  /** Single statements as the actor's tenant. */
  sql: Sql
  /** One transaction as the actor's tenant. */
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Checks, as `inTenant` does at the end of every transaction, that the key of the request still lives. A verb that calls it along
   * with its last writes saves waiting for one more answer. Takes the key's lock: whatever else is locked comes before.
   */
  requireKeyLive(tx: Tx): Promise<void>
}

export function makeCtx<A extends Actor | null>(services: Services, actor: A, request: RequestInfo): Ctx<A> {
  const tenantId = actor?.tenantId ?? ''
  let checked: { tx: Tx; live: Promise<void> } | undefined
  const requireKeyLive = (tx: Tx) => {
    if (checked?.tx !== tx) checked = { tx, live: requireKeyStillLive(tx, actor) }
    return checked.live
  }
  return {
    actor,
    services,
    request,
    now: new Date().toISOString(),
    sql: services.db.reader(tenantId),
    inTenant: (work) =>
      services.db.transaction(tenantId, async (tx) => {
        const result = await work(tx)
        await requireKeyLive(tx)
        return result
      }),
    requireKeyLive,
  }
}

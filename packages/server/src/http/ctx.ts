import type { Actor } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import type { Services } from '../services.ts'
import { GateRefusal } from './errors.ts'

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
}

export function makeCtx<A extends Actor | null>(services: Services, actor: A, request: RequestInfo): Ctx<A> {
  const tenantId = actor?.tenantId ?? ''
  return {
    actor,
    services,
    request,
    now: new Date().toISOString(),
    sql: services.db.reader(tenantId),
    inTenant: (work) =>
      services.db.transaction(tenantId, async (tx) => {
        const result = await work(tx)
        await requireLiveKey(services, actor)
        return result
      }),
  }
}

/** A request in flight fails when its key is revoked meanwhile. Reads what others committed, not what the request itself did. */
async function requireLiveKey(services: Services, actor: Actor | null): Promise<void> {
  if (actor?.kind !== 'api_key' || !actor.key) return
  const live = raw('select from api_keys where tenant_id = $1 and id = $2 and revoked_at is null', [
    actor.tenantId,
    actor.key.id,
  ])
  if (!(await services.db.reader(actor.tenantId).maybe(live))) throw new GateRefusal(401, 'invalid API key')
}

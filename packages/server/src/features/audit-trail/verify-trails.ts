import { verifyTrail } from '../../audit/verify-trail.ts'
import { noTenant } from '../../db/database.ts'
import { findTenantIds } from '../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../services.ts'
import {
  enqueueVerifications,
  extendLease,
  type Lease,
  leaseNext,
  release,
  storeVerification,
} from './verification-queries.ts'

type Used = Pick<Services, 'db' | 'log' | 'signingKey' | 'entryKeys'>

/** Duration of a lease. If a process dies, another process verifies the trail after this time. */
const leaseSeconds = 60
const renewEveryMs = 15_000
const attemptsAtMost = 5
const retrySeconds = 60

const busy = new WeakSet<object>()

/** Queues the verification of every tenant's trail. */
export async function queueAllTrails({ db }: Pick<Services, 'db'>, now: string): Promise<void> {
  const tenantIds = await findTenantIds(db.global)
  await db.transaction(noTenant, (tx) => enqueueVerifications(tx, tenantIds, now))
}

/**
 * Verifies the queued trails of all tenants, one at a time. Does nothing if this process is already verifying trails. A trail is
 * read in pages, so the memory does not depend on its length.
 */
export async function verifyTrails(services: Used): Promise<void> {
  if (busy.has(services.db)) return
  busy.add(services.db)
  try {
    for (let lease = await next(services); lease; lease = await next(services)) await attempt(services, lease)
  } finally {
    busy.delete(services.db)
  }
}

const next = ({ db }: Used) => db.transaction(noTenant, (tx) => leaseNext(tx, leaseSeconds))

async function attempt(services: Used, lease: Lease): Promise<void> {
  const { db, log } = services
  try {
    await verify(services, lease)
  } catch (error) {
    const { tenant_id, attempts } = lease
    log.warn(
      { err: error, tenant_id, attempts },
      `could not verify the audit trail: attempt ${attempts} of ${attemptsAtMost} failed`,
    )
    await db.transaction(tenant_id, async (tx) => {
      if (attempts >= attemptsAtMost) await release(tx, lease)
      else await extendLease(tx, lease, retrySeconds)
    })
  }
}

async function verify(services: Used, lease: Lease): Promise<void> {
  const { db, log } = services
  const { tenant_id: tenantId, requested_by: by } = lease
  const at = new Date().toISOString()
  const startedMs = performance.now()
  const renewal = setInterval(() => {
    db.transaction(tenantId, (tx) => extendLease(tx, lease, leaseSeconds)).catch((err) =>
      log.warn({ err, tenant_id: tenantId }, 'the lease on the verification of an audit trail could not be renewed'),
    )
  }, renewEveryMs)
  const verdict = await verifyTrail(services, tenantId, at).finally(() => clearInterval(renewal))
  const { valid, entries, first_bad } = verdict
  if (!valid) log.error({ tenant_id: tenantId, first_bad }, 'the audit trail is not valid: check for tampering')
  const tookMs = Math.round(performance.now() - startedMs)
  await db.transaction(tenantId, async (tx) => {
    if (await release(tx, lease)) await storeVerification(tx, { at, valid, entries, tookMs, by })
  })
}

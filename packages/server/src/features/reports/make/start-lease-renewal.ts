import type { Services } from '../../../services.ts'
import { type Lease, storeProgress } from './job-queries.ts'

export interface LeaseRenewal {
  /** Sets the progress of the report, from 0 to 1. @throws if another process has taken over the report */
  advance(share: number): void
  /** Stops the renewal. */
  stop(): Promise<void>
}

interface RenewalOptions {
  /** How long the lease lasts after each renewal. */
  seconds: number
  everyMs: number
}

/**
 * Renews the lease on a report at intervals and stores the report's progress, until `stop` is called. The renewal does not wait
 * for calls of `advance`, so the lease is not lost during a long step.
 */
export function startLeaseRenewal(
  { db, log }: Pick<Services, 'db' | 'log'>,
  lease: Lease,
  { seconds, everyMs }: RenewalOptions,
): LeaseRenewal {
  let share = 0
  let isLost = false
  let renewing: Promise<void> | undefined
  const renew = async () => {
    const isHeld = await db.transaction(lease.tenant_id, (tx) => storeProgress(tx, lease, share, seconds))
    if (!isHeld) isLost = true
  }
  const timer = setInterval(() => {
    renewing ??= renew()
      .catch((err) => log.warn({ err, report_id: lease.report_id }, 'the lease on a report could not be renewed'))
      .finally(() => {
        renewing = undefined
      })
  }, everyMs)
  return {
    advance(done) {
      share = done
      if (isLost) throw new Error('another process has taken over this report; this process stops making it')
    },
    async stop() {
      clearInterval(timer)
      await renewing
    },
  }
}

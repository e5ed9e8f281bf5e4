import type { Services } from '../../services.ts'
import { type Lease, storeProgress } from './job-queries.ts'

export interface HeldLease {
  /** Sets the completed share, 0 to 1. @throws if another process has the lease now */
  advance(share: number): void
  /** Stops the renewal. */
  stop(): Promise<void>
}

interface Renewal {
  /** How long the lease lasts after each renewal. */
  seconds: number
  everyMs: number
}

/** Renews the lease on a report and stores its progress until `stop` is called, even while one step of the work takes long. */
export function holdLease(
  { db, log }: Pick<Services, 'db' | 'log'>,
  lease: Lease,
  { seconds, everyMs }: Renewal,
): HeldLease {
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
      if (isLost) throw new Error('another process makes the report')
    },
    async stop() {
      clearInterval(timer)
      await renewing
    },
  }
}

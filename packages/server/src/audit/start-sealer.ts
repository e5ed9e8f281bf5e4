import { setTimeout as pause } from 'node:timers/promises'
import type { Services } from '../services.ts'
import { sealPending } from './seal-pending.ts'

const now = () => new Date().toISOString()

export interface Sealer {
  /** Stops the sealer. Waits for the current pass. */
  close(): Promise<void>
}

/**
 * Seals waiting entries until it is closed. In each pass it seals one batch for each of at most `tenantsAtOnce` tenants. If no
 * entries are left after a pass, the next pass starts after `everyMs` milliseconds. If a pass fails, the error is logged and
 * the next pass tries again.
 */
export function startSealer(
  services: Pick<Services, 'db' | 'log' | 'signingKey' | 'entryKeys'>,
  { everyMs = 1000, tenantsAtOnce = 1000 } = {},
): Sealer {
  const { db, log } = services
  const stop = new AbortController()
  const logged = new Set<string>()
  let after: string | undefined
  const pass = async () => {
    const turn = { atMost: tenantsAtOnce, after }
    const { broken, failed, refused, goOnAfter, hasMore, entries } = await sealPending(db, services, now(), turn)
    after = goOnAfter
    for (const error of broken) {
      if (logged.has(error.tenantId)) continue
      logged.add(error.tenantId)
      log.error({ tenant_id: error.tenantId }, error.message)
    }
    for (const [tenantId, error] of failed) {
      log.warn({ err: error, tenant_id: tenantId }, 'audit entries could not be sealed')
    }
    for (const [tenantId, count] of refused) {
      log.error(
        { tenant_id: tenantId, entries: count },
        'audit entries without a valid MAC were not sealed: check for tampering and for a missing vault key',
      )
    }
    return hasMore && entries + refused.size > 0
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      const hasMore = await pass().catch((error) => {
        log.warn({ err: error }, 'audit entries could not be sealed')
        return false
      })
      if (!hasMore) await pause(everyMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    close() {
      stop.abort()
      return running
    },
  }
}

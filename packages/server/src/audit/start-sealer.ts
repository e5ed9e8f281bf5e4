import { setTimeout as pause } from 'node:timers/promises'
import type { Services } from '../services.ts'
import { sealPending } from './seal-pending.ts'

export interface Sealer {
  /** Lets the pass in hand finish. */
  close(): Promise<void>
}

/**
 * Seals what waits every `everyMs` milliseconds until closed, of at most `tenantsAtOnce` tenants. A pass that fails is logged and the
 * next one tries again.
 */
export function startSealer(
  { db, log, signingKey }: Pick<Services, 'db' | 'log' | 'signingKey'>,
  { everyMs = 1000, tenantsAtOnce = 1000 } = {},
): Sealer {
  const stop = new AbortController()
  const told = new Set<string>()
  let after: string | undefined
  const pass = async () => {
    const turn = { atMost: tenantsAtOnce, after }
    const { broken, failed, goOnAfter } = await sealPending(db, signingKey, new Date().toISOString(), turn)
    after = goOnAfter
    for (const error of broken) {
      if (told.has(error.tenantId)) continue
      told.add(error.tenantId)
      log.error({ tenant_id: error.tenantId }, error.message)
    }
    for (const [tenantId, error] of failed) {
      log.warn({ err: error, tenant_id: tenantId }, 'audit entries could not be sealed')
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await pass().catch((error) => log.warn({ err: error }, 'audit entries could not be sealed'))
      await pause(everyMs, undefined, { signal: stop.signal }).catch(() => {})
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

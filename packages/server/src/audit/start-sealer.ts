import { setTimeout as pause } from 'node:timers/promises'
import type { Services } from '../services.ts'
import { sealPending } from './seal-pending.ts'

export interface Sealer {
  /** Lets the pass in hand finish. */
  close(): Promise<void>
}

/** Seals what waits every `everyMs` milliseconds until closed. A pass that fails is logged and the next one tries again. */
export function startSealer(services: Pick<Services, 'db' | 'log' | 'signingKey'>, everyMs = 1000): Sealer {
  const stop = new AbortController()
  const told = new Set<string>()
  const pass = async () => {
    const { broken, failed } = await sealPending(services.db, services.signingKey, new Date().toISOString())
    for (const error of broken) {
      if (told.has(error.tenantId)) continue
      told.add(error.tenantId)
      services.log.error({ tenant_id: error.tenantId }, error.message)
    }
    for (const [tenantId, error] of failed) {
      services.log.warn({ err: error, tenant_id: tenantId }, 'audit entries could not be sealed')
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await pass().catch((error) => services.log.warn({ err: error }, 'audit entries could not be sealed'))
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

import { GateRefusal } from './errors.ts'

const retrySeconds = 1

/**
 * Turns at work that is too heavy for anyone to do much of at once: one of a tenant, and a few in this process. Who comes while
 * none is free is refused, not queued.
 */
export class Turns {
  private readonly taken = new Set<string>()
  private readonly atOnce: number

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /** Does the work in a turn of the tenant's. @throws 429 while it has one, or all are taken */
  async take<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.taken.has(tenantId) || this.taken.size >= this.atOnce) {
      throw new GateRefusal(429, 'too many requests', true, { 'retry-after': String(retrySeconds) })
    }
    this.taken.add(tenantId)
    try {
      return await work()
    } finally {
      this.taken.delete(tenantId)
    }
  }
}

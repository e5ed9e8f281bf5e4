import { tooMany } from './refusal.ts'

const retrySeconds = 1

/**
 * A semaphore for heavy work: at most one run of a tenant at a time, and at most `atOnce` in this process. Further callers are
 * refused, not queued.
 */
export class TenantSemaphore {
  private readonly taken = new Set<string>()
  private readonly atOnce: number

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /** Runs the work. @throws 429 while the tenant runs another one, or while all places are taken */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.taken.has(tenantId) || this.taken.size >= this.atOnce) {
      throw tooMany('too many requests', retrySeconds)
    }
    this.taken.add(tenantId)
    try {
      return await work()
    } finally {
      this.taken.delete(tenantId)
    }
  }
}

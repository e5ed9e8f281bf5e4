import { tooMany } from './refusal.ts'

const retrySeconds = 1

/**
 * A semaphore for heavy work: at most one run per tenant, and at most `atOnce` runs in this process. Other callers are refused and do not
 * wait.
 */
export class TenantSemaphore {
  private readonly taken = new Set<string>()
  private readonly atOnce: number

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /** Runs the work. Throws 429 if the tenant already has a run, or if all places are taken. */
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

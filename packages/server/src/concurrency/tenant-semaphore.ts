import { tooMany } from '../refusal.ts'

const retrySeconds = 1

/**
 * Limits how many expensive operations run at the same time: at most one per tenant, and at most `atOnce` in this process.
 * Further callers are refused. They do not wait.
 */
export class TenantSemaphore {
  private readonly taken = new Set<string>()
  private readonly atOnce: number

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /**
   * Runs the operation. Throws 429 if an operation of this tenant is already running, or if `atOnce` operations of all tenants
   * together are running.
   */
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

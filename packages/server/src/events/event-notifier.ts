import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { notifyInstances } from './queries.ts'

/** At most one notification is sent in this time, for all tenants that have new events then. */
const everyMs = 50

/**
 * Tells all instances which tenants have new events. A transaction that wrote events queues its tenant after its commit. A lost
 * notification delays events by a few seconds, because readers also look by themselves.
 */
export class EventNotifier {
  private readonly db: Database
  private readonly log: Logger
  private readonly waiting = new Set<string>()
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(db: Database, log: Logger) {
    this.db = db
    this.log = log
  }

  /** Queues a notification for a tenant. The first one is sent at the end of this turn of the event loop. */
  queue(tenantId: string): void {
    if (this.isClosed) return
    this.waiting.add(tenantId)
    this.timer ??= setTimeout(() => this.send(), 0)
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
  }

  private send(): void {
    const tenantIds = [...this.waiting]
    this.waiting.clear()
    this.timer = tenantIds.length > 0 ? setTimeout(() => this.send(), everyMs) : undefined
    this.timer?.unref()
    if (tenantIds.length === 0) return
    notifyInstances(this.db.global, tenantIds).catch((error) =>
      this.log.debug(
        { err: error },
        'a notification of new events was not sent; readers find the events by themselves',
      ),
    )
  }
}

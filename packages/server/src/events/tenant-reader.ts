import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { EventRow } from './event-row.ts'
import { findMoment, findNewRows, type Moment } from './queries.ts'
import { resumableMs } from './slots.ts'

/** Receives the events of one tenant. Its functions must not throw. */
export interface EventConsumer {
  /** New rows in their order. A row may come twice, after an error of the database. */
  onRows(rows: readonly EventRow[]): void
  /** Rows may be missing, because the database could not be read for longer than rows are stored. */
  onGap(): void
  /** The server stops. No rows follow. */
  onEnd(): void
}

export interface ReaderOptions {
  db: Database
  log: Logger
  /** After this time without a read, rows may be missing. */
  gapMs?: number
}

const pageRows = 500
/** The pause between two reads, so that a busy tenant is read in batches. */
const pauseMs = 20
const retryMs = 500

/**
 * Reads the new events of a tenant once, for all consumers of this instance. Its position is a snapshot: rows of transactions that were not
 * visible in it are new. So a transaction that commits late is found, and delays no other.
 */
export class TenantReader {
  readonly started: Promise<void>
  private readonly tenantId: string
  private readonly options: ReaderOptions
  private readonly consumers = new Set<EventConsumer>()
  /** Number of consumers that are being added. */
  private joining = 0
  private position: Moment | undefined
  private reading: Promise<void> | undefined
  private isAwake = false
  private mustReadAgain = false
  private isClosed = false

  constructor(tenantId: string, options: ReaderOptions) {
    this.tenantId = tenantId
    this.options = options
    this.started = findMoment(options.db.reader(tenantId)).then((moment) => {
      this.position = moment
    })
  }

  get isUnused(): boolean {
    return this.consumers.size === 0 && this.joining === 0
  }

  /**
   * Adds a consumer. Returns the snapshot from which it receives all new rows. A consumer that continues from an older position reads the rows
   * up to this snapshot itself.
   */
  async add(consumer: EventConsumer): Promise<string> {
    this.joining++
    try {
      await this.started
      // A read is in several pages. A consumer that is added between two pages would miss the first one.
      const snapshot = await this.settled()
      this.consumers.add(consumer)
      return snapshot
    } finally {
      this.joining--
    }
  }

  /** Returns the snapshot once no read is in progress. A consumer that continues at once misses nothing between this snapshot and later rows. */
  async settled(): Promise<string> {
    while (this.reading) await this.reading
    return this.snapshot
  }

  remove(consumer: EventConsumer): void {
    this.consumers.delete(consumer)
  }

  /** The snapshot up to which the consumers have received all rows. */
  get snapshot(): string {
    return (this.position as Moment).snapshot
  }

  /** Reads new rows now, or after the current read. */
  wake(): void {
    if (this.isAwake) {
      this.mustReadAgain = true
      return
    }
    this.isAwake = true
    void this.run()
  }

  close(): void {
    this.isClosed = true
    for (const consumer of this.consumers) consumer.onEnd()
  }

  private async run(): Promise<void> {
    do {
      this.mustReadAgain = false
      let waitMs = pauseMs
      this.reading = this.readNew().catch((error) => {
        const { log } = this.options
        log.debug({ err: error, tenant_id: this.tenantId }, 'new events could not be read; the reader tries again')
        this.mustReadAgain = true
        waitMs = retryMs
      })
      await this.reading
      this.reading = undefined
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref())
    } while (this.mustReadAgain && !this.isClosed)
    this.isAwake = false
  }

  private async readNew(): Promise<void> {
    await this.started
    const { db, gapMs = resumableMs } = this.options
    const sql = db.reader(this.tenantId)
    const { snapshot, now } = this.position as Moment
    let until: Moment | undefined
    let last: EventRow | undefined
    do {
      const { rows, ...moment } = await findNewRows(sql, {
        since: { snapshot },
        until: until?.snapshot ?? null,
        afterPlace: last?.place ?? 0,
        limit: pageRows,
      })
      if (this.isClosed) return
      until ??= moment
      if (moment.now - now > gapMs) for (const consumer of this.consumers) consumer.onGap()
      if (rows.length > 0) for (const consumer of this.consumers) consumer.onRows(rows)
      last = rows.length === pageRows ? rows.at(-1) : undefined
    } while (last)
    this.position = until
  }
}

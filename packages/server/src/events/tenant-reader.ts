import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { EventPosition, EventRow } from './event-row.ts'
import { findNewRows, findStart, type Moment, positionAfterRead } from './queries.ts'
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
  private current: EventPosition | undefined
  /** The time of the database at the last successful read, in milliseconds since 1970. */
  private readAtOfDatabase = 0
  /** When the last successful read ended, in milliseconds of `performance.now()`. */
  private readAt = performance.now()
  private reading: Promise<void> | undefined
  private isAwake = false
  private mustReadAgain = false
  private isClosed = false

  constructor(tenantId: string, options: ReaderOptions) {
    this.tenantId = tenantId
    this.options = options
    this.started = findStart(options.db.reader(tenantId)).then(({ now, ...position }) => {
      this.current = position
      this.readAtOfDatabase = now
    })
  }

  get isUnused(): boolean {
    return this.consumers.size === 0 && this.joining === 0
  }

  /**
   * Adds a consumer. Returns the position from which it receives all new rows. A consumer that continues from an older position reads the rows
   * up to the snapshot of this position itself.
   */
  async add(consumer: EventConsumer): Promise<EventPosition> {
    this.joining++
    try {
      await this.started
      // A read is in several pages. A consumer that is added between two pages would miss the first one.
      const position = await this.settled()
      this.consumers.add(consumer)
      return position
    } finally {
      this.joining--
    }
  }

  /** Returns the position once no read is in progress. A consumer that continues at once misses nothing between this position and later rows. */
  async settled(): Promise<EventPosition> {
    while (this.reading) await this.reading
    return this.position
  }

  remove(consumer: EventConsumer): void {
    this.consumers.delete(consumer)
  }

  /** The consumers have received all rows up to this position. */
  get position(): EventPosition {
    return this.current as EventPosition
  }

  get readAgeMs(): number {
    return performance.now() - this.readAt
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
    const since = this.position
    let position = since
    let until: Moment | undefined
    let last: EventRow | undefined
    do {
      const { rows, ...moment } = await findNewRows(sql, {
        since,
        until: until?.snapshot ?? null,
        afterPlace: last?.place ?? 0,
        limit: pageRows,
      })
      if (this.isClosed) return
      until ??= moment
      if (moment.now - this.readAtOfDatabase > gapMs) for (const consumer of this.consumers) consumer.onGap()
      if (rows.length > 0) for (const consumer of this.consumers) consumer.onRows(rows)
      position = positionAfterRead(position, rows, until.snapshot)
      last = rows.length === pageRows ? rows.at(-1) : undefined
    } while (last)
    this.current = position
    this.readAtOfDatabase = until.now
    this.readAt = performance.now()
  }
}

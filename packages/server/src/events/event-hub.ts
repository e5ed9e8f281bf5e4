import { Refusal } from '../refusal.ts'
import { EventListener } from './event-listener.ts'
import { EventNotifier } from './event-notifier.ts'
import type { EventPosition, EventRow } from './event-row.ts'
import { eventChannel, findNewRows } from './queries.ts'
import { type EventConsumer, type ReaderOptions, TenantReader } from './tenant-reader.ts'

/** How often readers look for events without a notification. */
const lookEveryMs = 3_000
const pageRows = 500

interface Options extends ReaderOptions {
  /** URL of the database, for the connection that listens. */
  url: string
  lookEveryMs?: number
}

/** A consumer of a tenant's events on this instance. */
export interface EventSubscription {
  /** The consumer receives all rows after this position. */
  readonly startedAt: EventPosition
  /** The position up to which the consumer has received all rows. */
  readonly position: EventPosition
  /** Resolves to `position` when no read is in progress. Rows that come later are after it. */
  settled(): Promise<EventPosition>
  close(): void
}

/**
 * Gives the events of all instances to the consumers of this instance. There is one connection that listens, and one reader per tenant that has
 * consumers. Without consumers, nothing is read.
 */
export class EventHub {
  readonly notifier: EventNotifier
  private readonly options: Options
  private readonly readers = new Map<string, TenantReader>()
  private listener: EventListener | undefined
  private looking: NodeJS.Timeout | undefined
  private isEnded = false

  constructor(options: Options) {
    this.options = options
    this.notifier = new EventNotifier(options.db, options.log)
    options.db.onAnnounced = (tenantId) => this.notifier.queue(tenantId)
  }

  /**
   * Adds a consumer of a tenant's events. It receives each row that is committed from now on, also if the transaction began earlier.
   */
  async subscribe(tenantId: string, consumer: EventConsumer): Promise<EventSubscription> {
    this.start()
    const reader = this.readerOf(tenantId)
    let startedAt: EventPosition
    try {
      startedAt = await reader.add(consumer)
    } catch (error) {
      this.dropIfUnused(tenantId, reader)
      throw error
    }
    const close = () => {
      reader.remove(consumer)
      this.dropIfUnused(tenantId, reader)
    }
    return {
      startedAt,
      close,
      settled: () => reader.settled(),
      get position() {
        return reader.position
      },
    }
  }

  /** Milliseconds since the last successful read, of the tenant that waits longest. 0 if no tenant has consumers. */
  get readAgeMs(): number {
    return Math.max(0, ...[...this.readers.values()].map(({ readAgeMs }) => readAgeMs))
  }

  /** Reads the rows after a position that are visible in the snapshot `until`, page by page. */
  async *readSince(tenantId: string, since: EventPosition, until: string): AsyncGenerator<EventRow[]> {
    const sql = this.options.db.reader(tenantId)
    for (let afterPlace = 0; ; ) {
      const { rows } = await findNewRows(sql, { since, until, afterPlace, limit: pageRows })
      const last = rows.at(-1)
      if (last) yield rows
      if (!last || rows.length < pageRows) return
      afterPlace = last.place
    }
  }

  /** Ends all consumers, and refuses new ones. Events of this instance are still announced. */
  end(): void {
    this.isEnded = true
    clearInterval(this.looking)
    for (const reader of this.readers.values()) reader.close()
    this.readers.clear()
  }

  async close(): Promise<void> {
    this.end()
    this.notifier.close()
    await this.listener?.close()
  }

  private start(): void {
    if (this.isEnded) throw new Refusal(503, 'the server stops; try again')
    if (this.listener) return
    const { url, log, lookEveryMs: everyMs = lookEveryMs } = this.options
    this.listener = new EventListener({
      url,
      log,
      channels: [eventChannel],
      onNotified: (_channel, tenantId) => this.readers.get(tenantId)?.wake(),
      onListening: () => this.wakeAll(),
    })
    this.looking = setInterval(() => {
      this.listener?.check()
      this.wakeAll()
    }, everyMs)
    this.looking.unref()
  }

  private wakeAll(): void {
    for (const reader of this.readers.values()) reader.wake()
  }

  private readerOf(tenantId: string): TenantReader {
    const reader = this.readers.get(tenantId) ?? new TenantReader(tenantId, this.options)
    this.readers.set(tenantId, reader)
    return reader
  }

  private dropIfUnused(tenantId: string, reader: TenantReader): void {
    if (!reader.isUnused || this.readers.get(tenantId) !== reader) return
    reader.close()
    this.readers.delete(tenantId)
  }
}

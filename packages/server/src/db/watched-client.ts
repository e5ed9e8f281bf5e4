import pg from 'pg'

const connectTimeoutMs = 5_000

/** The part of the driver's client that its types leave out. */
interface Internals {
  connection: { stream: { destroy(error: Error): void }; on(event: 'readyForQuery', listener: () => void): void }
  processID: number | null
}

/**
 * A connection that knows for how long it waits for an answer. A connection without a peer (after a failover, or behind a firewall
 * that dropped it) reports no error for up to 15 minutes, so the waiting time is the only sign.
 */
export class WatchedClient extends pg.Client {
  private readonly sentAt: number[] = []
  private answeredAt = performance.now()
  private openedAt = 0

  constructor(config: pg.ClientConfig) {
    super({
      ...config,
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? connectTimeoutMs, connectTimeoutMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // Assigned, because an override cannot repeat the driver's overloads.
    const send = this.query.bind(this) as (...args: unknown[]) => unknown
    this.query = ((...args: unknown[]) => {
      this.sentAt.push(performance.now())
      return send(...args)
    }) as typeof this.query
    this.internals.connection.on('readyForQuery', () => {
      this.answeredAt = performance.now()
      this.openedAt ||= this.answeredAt
      this.sentAt.shift()
    })
  }

  /** Milliseconds that the oldest unanswered query has waited since the answer before it; 0 without a query. */
  get waitingMs(): number {
    const since = this.waitingSince
    return since === undefined ? 0 : performance.now() - since
  }

  /** Since when the oldest unanswered query waits, in milliseconds of `performance.now()`; undefined without a query. */
  get waitingSince(): number | undefined {
    const [oldest] = this.sentAt
    return oldest === undefined ? undefined : Math.max(oldest, this.answeredAt)
  }

  /** Milliseconds since the connection was open. Its backend is at least as old. */
  get ageMs(): number {
    return this.openedAt === 0 ? 0 : performance.now() - this.openedAt
  }

  /** When the database last answered, in milliseconds of `performance.now()`. */
  get lastAnswerAt(): number {
    return this.answeredAt
  }

  /** Process id of the backend; null before the connection is open. */
  get backendId(): number | null {
    return this.internals.processID
  }

  /** Closes the socket at once. Every unanswered query fails with `ETIMEDOUT`. */
  abandon(reason: string): void {
    this.internals.connection.stream.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' }))
  }

  private get internals(): Internals {
    return this as unknown as Internals
  }
}

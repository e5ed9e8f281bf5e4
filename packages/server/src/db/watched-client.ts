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

  constructor(config: pg.ClientConfig) {
    super({
      ...config,
      connectionTimeoutMillis: connectTimeoutMs,
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
      this.sentAt.shift()
    })
  }

  /** Milliseconds that the oldest unanswered query has waited since the answer before it; 0 without a query. */
  get waitingMs(): number {
    const [oldest] = this.sentAt
    return oldest === undefined ? 0 : performance.now() - Math.max(oldest, this.answeredAt)
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

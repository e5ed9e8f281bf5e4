import { SessionClient, type SessionConfig } from './session-client.ts'

const connectTimeoutMs = 5_000

/** Members of the driver's client that its TypeScript types omit. */
interface Internals {
  connection: { stream: { destroy(error: Error): void }; on(event: 'readyForQuery', listener: () => void): void }
  processID: number | null
}

/**
 * A database connection that measures how long it has waited for a response. If the other end is gone (after a failover, or
 * because a firewall dropped the connection), the socket may report no error for 15 minutes. A long wait is then the only sign.
 */
export class WatchedClient extends SessionClient {
  private readonly sentAt: number[] = []
  private answeredAt = performance.now()
  private openedAt = 0

  constructor(config: SessionConfig) {
    super({
      ...config,
      // A pool hides the password, so that the line above does not copy it.
      password: config.password,
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? connectTimeoutMs, connectTimeoutMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // `query` is assigned here and not overridden as a method, because an override would have to repeat all overloads of the
    // driver's types.
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

  /**
   * How long the connection has waited for its next response, in milliseconds. This is the time since the oldest unanswered
   * query was sent, or since the last response if that was later. 0 if all queries are answered.
   */
  get waitingMs(): number {
    const since = this.waitingSince
    return since === undefined ? 0 : performance.now() - since
  }

  /**
   * The time at which the connection started to wait for its next response, in milliseconds of `performance.now()`. Undefined
   * if all queries are answered.
   */
  get waitingSince(): number | undefined {
    const [oldest] = this.sentAt
    return oldest === undefined ? undefined : Math.max(oldest, this.answeredAt)
  }

  /** Milliseconds since the connection was opened. The backend (server process of PostgreSQL) is at least this old. */
  get ageMs(): number {
    return this.openedAt === 0 ? 0 : performance.now() - this.openedAt
  }

  /** The time of the last response, in milliseconds of `performance.now()`. */
  get lastAnswerAt(): number {
    return this.answeredAt
  }

  /** Process id of the backend. Null before the connection is open. */
  get backendId(): number | null {
    return this.internals.processID
  }

  /** Closes the socket immediately. Queries in flight fail with `ETIMEDOUT`. */
  abandon(reason: string): void {
    this.internals.connection.stream.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' }))
  }

  private get internals(): Internals {
    return this as unknown as Internals
  }
}

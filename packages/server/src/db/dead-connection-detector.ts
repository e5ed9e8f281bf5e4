import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { WatchedClient } from './watched-client.ts'

/** Timeout for opening the separate connection that runs the check, and for each query on this connection. */
const askMs = 3_000
const askAgainMs = 500
/**
 * How long a response may be in transit, in milliseconds, if another connection was found dead shortly before. This is shorter
 * than the normal limit, because connections that wait for a response are then probably dead too.
 */
const shortTransitMs = 200

/**
 * Asks PostgreSQL about the backends (server processes) of connections. `$1` are the process ids of the backends. `$2` are the
 * ages of their connections in milliseconds.
 * A backend is quiet if, for `$3` milliseconds, it has run nothing or has only waited for the rest of a message. Each open
 * connection in `$1` waits for a response. A quiet backend has already sent this response, or it never received the statement.
 * In both cases its connection is dead.
 * The query ends the quiet backends, to free their locks. It also ends the backends whose process ids are in `$4`, because this
 * process has already closed their connections. It does not end a backend that is younger than the connection: PostgreSQL has
 * given the process id to a new backend, which serves another connection.
 */
const examine = `
  with asked as (
    select a.pid, a.backend_start < clock_timestamp() - (s.age_ms - 1000) * interval '1 millisecond' as is_same,
      (a.state <> 'active' or a.wait_event is not distinct from 'ClientRead')
        and a.state_change < clock_timestamp() - $3::float8 * interval '1 millisecond' as quiet
    from unnest($1::int[], $2::float8[]) as s (pid, age_ms) join pg_stat_activity a on a.pid = s.pid
    where a.usename = session_user and a.datname = current_database()
  )
  select pid, quiet, case when is_same and (quiet or pid = any($4::int[])) then pg_terminate_backend(pid) end from asked`

interface Found {
  pid: number
  quiet: boolean
}

interface Options {
  /**
   * URL of the database. It must contain the same user name as the URL of the watched connections. PostgreSQL lets a user see
   * and end its own backends. The application's role, which the watched connections switch to, may not do that.
   */
  url: string
  lateMs: number
  /**
   * After this time without a response, in milliseconds, a connection counts as dead even if its backend is busy. Must be
   * longer than PostgreSQL's statement timeout.
   */
  longestMs: number
  /**
   * Called before a dead connection is closed. `since` is the time since which the connection has waited. Other connections
   * without a response since then may be dead too.
   */
  onDead(since: number): void
}

/**
 * Closes connections whose other end is gone, and ends their backends. A late response does not prove that a connection is
 * dead, because a statement may take long or wait for a lock. If a response is late, a separate connection therefore asks
 * PostgreSQL what the backends do. It asks again as long as responses are late: when one dead transaction ends, another dead
 * transaction may get its locks.
 */
export class DeadConnectionDetector {
  private readonly watched = new Set<WatchedClient>()
  /** Closed connections whose backends may still hold locks. */
  private readonly closed = new Set<WatchedClient>()
  private readonly timer: NodeJS.Timeout
  private readonly options: Options
  private isExamining = false
  private isClosed = false
  private provedAt = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.options = options
    this.timer = setInterval(() => this.look(), this.everyMs)
    this.timer.unref()
  }

  add(client: WatchedClient): void {
    this.watched.add(client)
  }

  remove(client: WatchedClient): void {
    this.watched.delete(client)
  }

  /** Closes a connection that is known to be dead. Its backend is ended as soon as the database can be reached. */
  closeDead(client: WatchedClient, reason: string): void {
    this.watched.delete(client)
    if (client.backendId !== null) this.closed.add(client)
    client.abandon(reason)
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
  }

  private get everyMs(): number {
    return Math.max(50, this.options.lateMs / 20)
  }

  private suspects(): WatchedClient[] {
    // A connection is checked before it has waited for `lateMs`. The check takes time too, and should end at about `lateMs`.
    return [...this.watched].filter(({ waitingMs }) => waitingMs > 0.6 * this.options.lateMs)
  }

  private look(): void {
    if (this.isExamining || (this.closed.size === 0 && this.suspects().length === 0)) return
    this.isExamining = true
    void this.examineAll().finally(() => {
      this.isExamining = false
    })
  }

  private async examineAll(): Promise<void> {
    const examiner = new WatchedClient({
      connectionString: this.options.url,
      application_name: 'mandate examiner',
      connectionTimeoutMillis: askMs,
    })
    examiner.on('error', () => {})
    try {
      await examiner.connect()
      while (!this.isClosed) {
        const suspects = this.suspects()
        if (suspects.length === 0 && this.closed.size === 0) break
        await this.closeDeadAmong(examiner, suspects)
        await pause(this.everyMs, undefined, { ref: false })
      }
    } catch (error) {
      // An error that PostgreSQL reports is a response too. It shows that the database can be reached, and says nothing about
      // the other connections.
      if (!(error instanceof pg.DatabaseError)) this.closeSuspects()
      await pause(askAgainMs, undefined, { ref: false })
    } finally {
      examiner.abandon('the check is over')
    }
  }

  private async closeDeadAmong(examiner: WatchedClient, suspects: readonly WatchedClient[]): Promise<void> {
    const { lateMs, longestMs } = this.options
    const closed = [...this.closed]
    const asked = [...suspects, ...closed].filter(({ backendId }) => backendId !== null)
    const waitingSince = new Map(suspects.map((client) => [client, client.waitingSince]))
    const isProvedLately = performance.now() - this.provedAt < 2 * lateMs
    const transitMs = isProvedLately ? Math.min(shortTransitMs, lateMs / 5) : lateMs / 5
    const pids = asked.map(({ backendId }) => backendId)
    const ages = asked.map(({ ageMs }) => ageMs)
    const late = setTimeout(() => examiner.abandon('the database does not answer'), askMs)
    const { rows } = await examiner
      .query<Found>(examine, [pids, ages, transitMs, closed.map(({ backendId }) => backendId)])
      .finally(() => clearTimeout(late))
    for (const client of closed) this.closed.delete(client)
    const found = new Map(rows.map((row) => [row.pid, row]))
    for (const client of suspects) {
      const since = waitingSince.get(client)
      if (since === undefined || client.waitingSince !== since || !this.watched.has(client)) continue
      const isDead = found.get(client.backendId ?? 0)?.quiet ?? true
      if (isDead || client.waitingMs > longestMs) this.closeAsDead(client, since)
    }
  }

  private closeAsDead(client: WatchedClient, since: number): void {
    this.provedAt = performance.now()
    this.options.onDead(since)
    this.closeDead(client, 'the database does not answer on this connection')
  }

  /** The database or the network is down, so the state of the backends is unknown. */
  private closeSuspects(): void {
    for (const client of this.suspects()) {
      const { waitingSince } = client
      if (client.waitingMs > this.options.lateMs && waitingSince !== undefined) this.closeAsDead(client, waitingSince)
    }
  }
}

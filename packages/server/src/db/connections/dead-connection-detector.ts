import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { connectionConfig } from './connection-config.ts'
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
 * Finds the backends (server processes) of dead connections and ends them, which frees their locks. `$1` are the process ids of
 * the backends to check. `$2` are the ages of their connections in milliseconds. All these connections wait for a response.
 * A connection is dead if its backend was quiet for `$3` milliseconds: the backend ran no statement, or only waited for data
 * from its client. The response was then lost, or the statement never arrived.
 * `$4` are the process ids of connections that this process has already closed. Their backends are ended too.
 * A backend that is younger than its connection is never ended, because it serves another connection: PostgreSQL has used the
 * process id again.
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
   * URL of the database, with the same user name as the URL of the watched connections. PostgreSQL lets a user see and end the
   * backends of this user. The watched connections cannot do this themselves, because they switch to a role without this right.
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
 * Finds dead connections (their other end is gone), closes them, and ends their backends (server processes of PostgreSQL). A
 * late response does not prove that a connection is dead, because the statement may be slow or wait for a lock. A separate
 * connection therefore asks PostgreSQL what the backends do. It repeats the check until no response is late. When a dead
 * transaction ends, its locks may go to another dead transaction, which must be ended too.
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
    // The check takes time, so it starts before a connection has waited for `lateMs`. Its result should be there at about
    // `lateMs`.
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
      ...connectionConfig(this.options.url),
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
      // If PostgreSQL itself reported the error, the database can be reached. The error does not show that the suspects
      // (connections with a late response) are dead, so they are kept.
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
    // If this process was busy, responses have arrived that it has not read. Two turns of the event loop read them.
    await nextTurn()
    await nextTurn()
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

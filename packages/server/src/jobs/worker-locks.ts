import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { keepalives } from '../db/connections/keepalives.ts'
import { WatchedClient } from '../db/connections/watched-client.ts'

/** First key of the advisory locks that show which workers are alive. The second key is a hash of the worker's id. */
const livingWorkers = 1_296_125_769

const lockSessionName = 'mandate job locks'

const lookEveryMs = 5_000
const looksUntilDead = 3
const othersEveryMs = 60_000

/**
 * Maximum number of ended workers that this process remembers. Above it, the process forgets the oldest worker. This is safe:
 * workers rarely end, and the last query of an ended worker ends within minutes.
 */
const rememberedWorkers = 1_000

const findWorkersWithJobs = `
  with held as (
    select locked_by from graphile_worker._private_jobs where locked_by is not null
    union select locked_by from graphile_worker._private_job_queues where locked_by is not null
  )
  select locked_by as id, exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${livingWorkers}::oid
      and l.objid = hashtext(held.locked_by)::oid
      and l.database = (select oid from pg_database where datname = current_database())
  ) as "hasLock"
  from held`

const findOtherWorkers = `
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${livingWorkers}::oid
      and l.database = (select oid from pg_database where datname = current_database())
      and l.objid <> all (array(select hashtext(id)::oid from unnest($1::text[]) id))
  ) as found`

export interface WorkerLocksOptions {
  ownerUrl: string
  log: Logger
  /** True if no other process uses this database. All workers of other processes are then dead. */
  isAlone: boolean
  /** Milliseconds between two checks for dead workers. */
  everyMs?: number
  /**
   * Called if workers of other processes appear, and if all of them are gone. The first check follows the start of a worker, and
   * then there is one a minute.
   */
  onOthers?: ((areThere: boolean) => void) | undefined
  /** Milliseconds between two checks for workers of other processes. */
  othersEveryMs?: number
}

/**
 * Shows other instances that the workers of this process are alive, and returns the jobs of dead workers to the queue.
 * A separate database session holds an advisory lock for each worker. PostgreSQL releases the locks when it notices that the
 * session has ended, which may take a while if the connection is lost. The locks are shared locks, so a new session of the same
 * process can take them before that.
 * A worker is dead if it had no lock in three checks in a row. One check is not enough: after a lost session or a restart of
 * PostgreSQL, a living worker needs a moment to take its lock again. It tries immediately, and then every second. Time in which
 * this process could not check does not count.
 */
export class WorkerLocks {
  private readonly options: WorkerLocksOptions
  private readonly workers = new Set<string>()
  /**
   * Ids of workers of this process that have ended. Their jobs are returned to the queue even if their locks are still held.
   * PostgreSQL may notice late that a connection is dead. Until then, the session on this connection holds its locks, and a
   * query on this connection may still take a job for an ended worker.
   */
  private readonly ended = new Set<string>()
  /**
   * Workers that have jobs but no lock, and may therefore be dead. The value is the time at which the worker was first seen
   * without a lock, in milliseconds of `performance.now()`.
   */
  private suspects = new Map<string, number>()
  private hasOthers = false
  private nextLookForOthers = 0
  private client: WatchedClient | undefined
  private readonly stopping = new AbortController()
  private wake = new AbortController()
  private readonly looking: Promise<void>

  constructor(options: WorkerLocksOptions) {
    this.options = options
    this.looking = this.run()
  }

  /** Takes the lock that shows that a worker is alive. Call it when a worker of this process starts. */
  add(workerId: string): void {
    this.workers.add(workerId)
    this.wake.abort()
  }

  /** Returns the unfinished jobs of a worker to the queue. Call it when a worker of this process has ended. */
  end(workerId: string): void {
    this.workers.delete(workerId)
    this.ended.add(workerId)
    if (this.ended.size > rememberedWorkers) this.ended.delete([...this.ended][0] as string)
    this.wake.abort()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    this.wake.abort()
    await this.looking
    await this.disconnect()
  }

  private async run(): Promise<void> {
    const { log, everyMs = lookEveryMs } = this.options
    const { signal } = this.stopping
    let hasFailed = false
    while (!signal.aborted) {
      try {
        // Before the first worker has started, the tables of the queue may not exist.
        if (this.workers.size > 0) await this.look()
        hasFailed = false
      } catch (error) {
        if (!hasFailed)
          log.warn({ err: error }, 'cannot check which job workers are alive; jobs of dead workers must wait')
        hasFailed = true
        this.suspects.clear()
        await this.disconnect()
        // Closing the failed session has aborted `wake`. Without a new controller, the next wait would end immediately.
        this.wake = new AbortController()
      }
      const delayMs = hasFailed ? Math.min(1_000, everyMs) : everyMs
      await pause(delayMs, undefined, { signal: AbortSignal.any([signal, this.wake.signal]) }).catch(() => {})
      this.wake = new AbortController()
    }
  }

  private async look(): Promise<void> {
    const client = await this.connected()
    const own = [...this.workers]
    const late = setTimeout(() => client.abandon('the database does not answer'), lookEveryMs)
    try {
      await client.query(
        `select pg_advisory_lock_shared(${livingWorkers}, hashtext(id)) from unnest($1::text[]) id
         where not exists (select from pg_locks l where l.pid = pg_backend_pid() and l.locktype = 'advisory'
           and l.classid = ${livingWorkers}::oid and l.objid = hashtext(id)::oid)`,
        [own],
      )
      await this.lookForOthers(client)
      const { rows } = await client.query<{ id: string; hasLock: boolean }>(findWorkersWithJobs)
      const others = rows.filter(({ id }) => !this.workers.has(id))
      await this.giveBack(
        client,
        others.map(({ id }) => id).filter((id) => this.ended.has(id)),
      )
      const unlocked = others.filter(({ id, hasLock }) => !hasLock && !this.ended.has(id)).map(({ id }) => id)
      const dead = this.deadAmong(unlocked)
      await this.giveBack(client, dead)
      if (dead.length > 0) this.options.log.warn({ workers: dead }, 'jobs of dead workers returned to the queue')
    } finally {
      clearTimeout(late)
    }
  }

  /** Counts locks, and not sessions by their name: a pooler may change the name, and other processes can choose any name. */
  private async lookForOthers(client: pg.Client): Promise<void> {
    const { onOthers, isAlone, othersEveryMs: everyMs = othersEveryMs } = this.options
    if (!onOthers || isAlone || performance.now() < this.nextLookForOthers) return
    this.nextLookForOthers = performance.now() + everyMs
    const own = [...this.workers, ...this.ended]
    const { rows } = await client.query<{ found: boolean }>(findOtherWorkers, [own])
    const found = rows[0]?.found === true
    if (found !== this.hasOthers) onOthers(found)
    this.hasOthers = found
  }

  private deadAmong(unlocked: readonly string[]): string[] {
    const { isAlone, everyMs = lookEveryMs } = this.options
    if (isAlone) return [...unlocked]
    const now = performance.now()
    this.suspects = new Map(unlocked.map((id) => [id, this.suspects.get(id) ?? now]))
    return unlocked.filter((id) => now - (this.suspects.get(id) ?? now) >= looksUntilDead * everyMs)
  }

  private async giveBack(client: pg.Client, workerIds: string[]): Promise<void> {
    if (workerIds.length === 0) return
    await client.query('select graphile_worker.force_unlock_workers($1)', [workerIds])
    await client.query(`select pg_advisory_unlock_shared(${livingWorkers}, hashtext(id)) from unnest($1::text[]) id`, [
      workerIds,
    ])
  }

  private async connected(): Promise<WatchedClient> {
    if (this.client) return this.client
    const { ownerUrl } = this.options
    const client = new WatchedClient({
      ...connectionConfig(ownerUrl, keepalives),
      application_name: lockSessionName,
    })
    const forget = () => {
      if (this.client !== client) return
      this.client = undefined
      // The session has ended, so PostgreSQL releases its locks. The next check starts immediately and takes the locks in a new
      // session.
      this.wake.abort()
    }
    client.on('error', forget)
    client.on('end', forget)
    await client.connect()
    this.client = client
    return client
  }

  private async disconnect(): Promise<void> {
    const { client } = this
    this.client = undefined
    client?.abandon('the locks of job workers are released')
  }
}

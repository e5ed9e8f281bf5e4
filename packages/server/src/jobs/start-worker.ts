import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Runner,
  run,
  type TaskList,
  type WithPgClient,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import type pg from 'pg'
import type { Logger } from 'pino'
import { DeadConnectionDetector } from '../db/connections/dead-connection-detector.ts'
import type { WatchedClient } from '../db/connections/watched-client.ts'
import { noTenant } from '../db/database.ts'
import { keepPartitions } from '../db/schema/partitions.ts'
import { expireEvents } from '../events/expire-events.ts'
import { expireOverdueApprovals } from '../features/approvals/expiry/expire-approvals.ts'
import { queueAllTrails, verifyTrails } from '../features/audit-trail/verify-trails.ts'
import { recordSignInFailures } from '../features/auth/session/sign-in-failures.ts'
import { expireDecisions } from '../features/decisions/expiry/expire-decisions.ts'
import { anchorAll } from '../features/decisions/store/anchor-decisions.ts'
import { deleteExpiredDelegations } from '../features/delegations/delete-expired.ts'
import { markEveryMs, markLateInstancesOfAll } from '../features/edge/instances/mark-late-instances.ts'
import { noteSilenceOfAll } from '../features/edge/instances/note-silence.ts'
import { sweepStoppedInstances } from '../features/edge/instances/sweep-stopped-instances.ts'
import { sweepStaleEvidence } from '../features/findings/evidence/sweep-stale-evidence.ts'
import { closeDrills } from '../features/freezes/change/close-drills.ts'
import { endApprovalsOfFreezes } from '../features/freezes/change/end-approvals.ts'
import { countForMetrics, type WaitingJobs, waitingJobsText } from '../features/operations/count-for-metrics.ts'
import { makeReports } from '../features/reports/make/make-reports.ts'
import { expireTools } from '../features/tools/change/expire-tools.ts'
import { sweepChangedTools } from '../features/tools/changed-tools/sweep-changed-tools.ts'
import { sweepMailCounts } from '../mail/count-mail.ts'
import { createLruCache } from '../memory/lru-cache.ts'
import type { Services } from '../services.ts'
import { sweepSessions } from '../sessions/end-sessions.ts'
import { deliverMail } from './deliver-mail.ts'
import { WorkerLocks, type WorkerLocksOptions } from './worker-locks.ts'
import { WorkerPool } from './worker-pool.ts'

/** A running worker. `stop` waits until its running jobs have ended. */
export interface Worker {
  stop(): Promise<void>
}

// `fill=1d` runs the daily job later if the server was down at the scheduled time. `jobKey` allows only one queued job of this
// kind. `max=1` allows only one attempt, because the job of the next minute does the same work. `withLock` makes sure that only
// one instance runs the job at a time.
const crontab = `
17 3 * * * sweep_expired ?fill=1d
* * * * * sweep_stale_evidence ?jobKey=stale_evidence&max=1
* * * * * expire_approvals
* * * * * settle_changed_tools ?jobKey=settle_changed_tools&max=1
* * * * * note_silence ?jobKey=note_silence&max=1
* * * * * mark_late_instances ?jobKey=mark_late_instances&max=1
* * * * * expire_events ?jobKey=expire_events&max=1
* * * * * make_reports
* * * * * count_for_metrics ?jobKey=count_for_metrics&max=1
* * * * * record_sign_in_failures
7 * * * * keep_partitions ?fill=1d
5 0 * * * anchor_decisions ?fill=1d
47 3 * * * expire_decisions ?fill=1d
* * * * * verify_trails
23 4 * * * verify_all_trails ?fill=1d
`

interface StartedWorker {
  runner: Runner
  /**
   * Resolves when the worker has ended, or when it must be replaced. A worker must be replaced if it cannot look for jobs. It
   * must also be replaced if it shuts down by itself and is still running after `givingUpMs`.
   */
  ended: Promise<void>
}

const restartMs = 2000
// How long a shutdown waits for running jobs, in milliseconds. Jobs end earlier: for example, sending a mail to a server that
// does not answer stops after 20 seconds.
const stopLimitMs = 30_000
const lateMs = 5_000
// A connection counts as dead if its backend (the server process of PostgreSQL) is busy with one statement for longer than this
// time, in milliseconds. Statements of the queue and of its jobs always take less time.
const longestMs = 60_000
// How long a worker may take to end after it began to shut down by itself, in milliseconds. It may wait long for statements on
// dead connections. A new worker therefore starts after this time at the latest.
const givingUpMs = 5_000
// The worker is restarted after this many failed attempts to look for jobs. The library runs four loops that look for jobs once
// a second, so this takes about three seconds. Without the restart, the worker might never find jobs again: if the library once
// fails to read the names of its tasks, all later attempts fail too.
const mostFailedLooks = 12
const rememberedMails = 10_000
const sweepLock = 1_296_125_770
const changedToolsLock = 1_296_125_771
const metricsLock = 1_296_125_772

/**
 * Runs background jobs with the role that owns the tables, because only this role may read the queue. `isAlone` says that no
 * other process uses the database. Jobs that an earlier process has locked are then released immediately. `onOthers` is called
 * if workers of other processes appear, and if all of them are gone.
 */
export async function startWorker(
  services: Services,
  ownerUrl: string,
  { isAlone = false, onOthers }: Pick<Partial<WorkerLocksOptions>, 'isAlone' | 'onOthers'> = {},
): Promise<Worker> {
  const pool = new WorkerPool(ownerUrl)
  const stopWatching = closeDeadConnections(pool, ownerUrl)
  const locks = new WorkerLocks({ ownerUrl, log: services.log, isAlone, onOthers })
  const onLost = (error: Error) =>
    services.log.warn({ err: error }, 'the job worker lost a connection to the database; it opens a new connection')
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', onLost))
  const events = new EventEmitter() as WorkerEvents
  events.on('job:success', ({ job }) => services.metrics.jobEnded(job.task_identifier, 'done'))
  events.on('job:error', ({ job }) => services.metrics.jobEnded(job.task_identifier, 'failed'))
  const taskList = tasksOf(services)
  services.metrics.expectJobs(Object.keys(taskList))
  let workerId = ''
  events.on('pool:create', ({ workerPool }) => {
    if (workerId) locks.end(workerId)
    workerId = workerPool.id
    locks.add(workerId)
  })
  let gaveUp = Promise.withResolvers<void>()
  events.on('pool:gracefulShutdown', ({ workerPool }) => {
    if (workerPool.id === workerId) void pause(givingUpMs, undefined, { ref: false }).then(gaveUp.resolve)
  })
  let failedLooks = 0
  const looked = () => {
    failedLooks = 0
  }
  events.on('worker:getJob:empty', looked)
  events.on('job:start', looked)
  events.on('worker:getJob:error', ({ worker, error }) => {
    if (worker.workerPool.id !== workerId || ++failedLooks !== mostFailedLooks) return
    services.log.warn({ err: error }, 'the job worker cannot look for jobs; it is started again')
    gaveUp.resolve()
  })
  const start = async (): Promise<StartedWorker> => {
    gaveUp = Promise.withResolvers()
    failedLooks = 0
    const runner = await run({
      // If these delays are set, even to 0, the library handles errors that occur while it records the end of a job. By
      // default, such an error is an unhandled rejection.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      pgPool: pool,
      taskList,
      crontab,
      concurrency: 4,
      pollInterval: 1000,
      noHandleSignals: true,
      events,
      logger: loggerFor(services),
    })
    const ended = runner.promise.catch((error) =>
      services.log.warn(
        { err: error },
        'the job worker ended with an error; it is started again unless the server stops',
      ),
    )
    return { runner, ended: Promise.race([ended, gaveUp.promise]) }
  }
  const stopping = new AbortController()
  const running = keepRunning(await start(), start, stopping.signal, services.log)
  return {
    async stop() {
      stopping.abort()
      const stopped = running.then(() => pool.end())
      const isLate = await Promise.race([stopped.then(() => false), pause(stopLimitMs, true, { ref: false })])
      if (isLate) services.log.warn('the job worker did not stop in time; its jobs run again after the next start')
      stopWatching()
      await locks.close()
    },
  }
}

/**
 * Restarts the worker if it ended or must be replaced, for example because the database was unavailable for a long time. Tries
 * until the start succeeds. When `stopped` aborts, the worker completes its running jobs.
 */
async function keepRunning(
  first: StartedWorker,
  start: () => Promise<StartedWorker>,
  stopped: AbortSignal,
  log: Logger,
): Promise<void> {
  let current: StartedWorker | undefined = first
  const aborted = once(stopped, 'abort')
  while (!stopped.aborted) {
    await Promise.race([current?.ended, aborted])
    if (stopped.aborted) break
    // A worker that cannot look for jobs is still running and must be stopped. If the worker has already ended, `stop` rejects,
    // and the rejection is ignored.
    current?.runner.stop().catch(() => {})
    current = undefined
    await pause(restartMs, undefined, { signal: stopped }).catch(() => {})
    if (!stopped.aborted) current = await start().catch(() => undefined)
  }
  await current?.runner.stop().catch((error) => log.warn({ err: error }, 'the job worker did not stop cleanly'))
}

/**
 * Checks the connections of the pool regularly, including idle ones, and closes dead connections. Returns a function that stops
 * the checks.
 */
function closeDeadConnections(pool: pg.Pool, url: string): () => void {
  const clients = new Set<WatchedClient>()
  const detector = new DeadConnectionDetector({
    url,
    lateMs,
    longestMs,
    onDead(since) {
      for (const client of clients) {
        if (client.lastAnswerAt <= since)
          detector.closeDead(client, 'other connections to the database stopped answering')
      }
    },
  })
  pool.on('connect', (client) => {
    clients.add(client as unknown as WatchedClient)
    detector.add(client as unknown as WatchedClient)
  })
  pool.on('remove', (client) => {
    clients.delete(client as unknown as WatchedClient)
    detector.remove(client as unknown as WatchedClient)
  })
  return () => detector.close()
}

function tasksOf(services: Services): TaskList {
  // A mail job may run twice. The worker may be restarted while the mail is being sent. Or the mail was sent, but the end of
  // the job could not be recorded. The cache prevents the mail from being sent twice.
  const sentMails = createLruCache<Promise<void>>(rememberedMails)
  return {
    send_mail: async (payload, { job }) => {
      const sending = sentMails.get(job.id) ?? deliverMail(services, payload)
      sentMails.set(job.id, sending)
      await sending.catch((error) => {
        sentMails.delete(job.id)
        throw error
      })
    },
    make_reports: async (_payload, { addJob }) => {
      const dueAt = await makeReports(services)
      if (dueAt !== null) await addJob('make_reports', {}, { runAt: new Date(dueAt), jobKey: 'make_reports_when_due' })
    },
    sweep_stale_evidence: (_payload, { withPgClient }) =>
      withLock(withPgClient, sweepLock, async () => {
        await sweepStaleEvidence(services)
      }),
    settle_changed_tools: (_payload, { withPgClient }) =>
      withLock(withPgClient, changedToolsLock, async () => {
        await sweepChangedTools(services)
      }),
    note_silence: () => noteSilenceOfAll(services),
    mark_late_instances: async (_payload, { addJob }) => {
      if (!(await markLateInstancesOfAll(services))) return
      const runAt = new Date(Date.now() + markEveryMs)
      await addJob('mark_late_instances_again', {}, { runAt, jobKey: 'mark_late_instances_again', maxAttempts: 1 })
    },
    mark_late_instances_again: async () => {
      await markLateInstancesOfAll(services)
    },
    expire_events: (_payload, { withPgClient }) => withPgClient(expireEvents),
    expire_approvals: async () => {
      await expireOverdueApprovals(services, new Date().toISOString())
      await endApprovalsOfFreezes(services, new Date().toISOString())
    },
    record_sign_in_failures: () => recordSignInFailures(services, new Date().toISOString()),
    keep_partitions: (_payload, { withPgClient }) =>
      withPgClient(async (client) => {
        const dropped = await keepPartitions(client, new Date())
        if (dropped.length > 0)
          services.log.info({ partitions: dropped }, 'dropped the partitions of expired decisions')
      }),
    anchor_decisions: () => anchorAll(services, new Date().toISOString()),
    expire_decisions: () => expireDecisions(services, new Date().toISOString()),
    verify_trails: () => verifyTrails(services),
    count_for_metrics: (_payload, { withPgClient }) =>
      withLock(withPgClient, metricsLock, async (client) => {
        await countForMetrics(services, (await client.query<WaitingJobs>(waitingJobsText)).rows)
      }),
    verify_all_trails: async () => {
      await queueAllTrails(services, new Date().toISOString())
      await verifyTrails(services)
    },
    sweep_expired: async (_payload, { withPgClient }) => {
      await sweepSessions(services.db, new Date().toISOString())
      await services.db.transaction(noTenant, (tx) => sweepMailCounts(tx, new Date()))
      await closeDrills(services, new Date().toISOString())
      await sweepStoppedInstances(services.db, new Date())
      await deleteExpiredDelegations(services.db, new Date())
      await expireTools(services.db, new Date())
      await withPgClient((client) => services.identity.sweepExpired(client))
    },
  }
}

/**
 * Runs `work`, unless another instance is running it. The lock belongs to the database session, so PostgreSQL releases it if
 * the process dies.
 */
async function withLock(
  withPgClient: WithPgClient,
  lock: number,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  await withPgClient(async (client) => {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [lock])
    if (!rows[0].mine) return
    try {
      await work(client)
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock])
    }
  })
}

/**
 * The log of the worker library. Errors and warnings are logged as warnings, and everything else at the debug level.
 */
function loggerFor({ log }: Services) {
  return new WorkerLogger((scope) => (level, message) => {
    const { taskIdentifier: task, jobId } = scope
    if (level === 'error' || level === 'warning') log.warn({ task, job_id: jobId }, message)
    else log.debug({ task, job_id: jobId }, message)
  })
}

import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { run, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import pg from 'pg'
import { noTenant } from '../db/database.ts'
import { expireOverdueApprovals } from '../features/approvals/expire-approvals.ts'
import { recordSignInFailures } from '../features/auth/sign-in-failures.ts'
import { sweepStaleEvidence } from '../features/findings/sweep-stale-evidence.ts'
import { sweepMailCounts } from '../mail/count-mail.ts'
import type { Services } from '../services.ts'
import { sweepSessions } from '../sessions/sweep-sessions.ts'
import { deliverMail } from './deliver-mail.ts'

/** A running worker. `stop` lets the jobs in hand finish. */
export interface Worker {
  stop(): Promise<void>
}

// The daily one is caught up with by a server that was down at the hour. The one on evidence: one at a time whatever the number of
// instances, and one that waits is enough; what fails is done by the next.
const crontab = `
17 3 * * * sweep_expired ?fill=1d
* * * * * sweep_stale_evidence ?queue=stale_evidence&jobKey=stale_evidence&max=1
* * * * * expire_approvals
* * * * * record_sign_in_failures
`

const restartMs = 2000

/** Runs background jobs as the owning role, which alone may read the queue. */
export async function startWorker(services: Services, ownerUrl: string): Promise<Worker> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 6, application_name: 'mandate jobs' })
  const onLost = (error: Error) => services.log.warn({ err: error }, 'a connection of the job worker was lost')
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', onLost))
  const events = new EventEmitter() as WorkerEvents
  events.on('job:success', ({ job }) => services.metrics.jobEnded(job.task_identifier, 'done'))
  events.on('job:error', ({ job }) => services.metrics.jobEnded(job.task_identifier, 'failed'))
  const start = () =>
    run({
      pgPool: pool,
      taskList: tasksOf(services),
      crontab,
      concurrency: 4,
      pollInterval: 1000,
      noHandleSignals: true,
      events,
      logger: loggerFor(services),
    })
  let runner = await start()
  const stopping = new AbortController()
  const watching = keepRunning(async () => {
    await runner.promise.catch((error) => services.log.warn({ err: error }, 'the job worker ended'))
    if (stopping.signal.aborted) return
    await pause(restartMs, undefined, { signal: stopping.signal }).catch(() => {})
    if (stopping.signal.aborted) return
    runner = await start()
    if (stopping.signal.aborted) await runner.stop()
  }, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await runner.stop().catch((error) => services.log.warn({ err: error }, 'the job worker did not stop cleanly'))
      await watching
      await pool.end()
    },
  }
}

/** A worker that gives up, say because the database was away for long, is started again. */
async function keepRunning(turn: () => Promise<void>, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) await turn().catch(() => pause(restartMs, undefined, { signal: stopped }).catch(() => {}))
}

function tasksOf(services: Services): TaskList {
  return {
    send_mail: (payload) => deliverMail(services, payload),
    sweep_stale_evidence: async () => {
      await sweepStaleEvidence(services)
    },
    expire_approvals: () => expireOverdueApprovals(services, new Date().toISOString()),
    record_sign_in_failures: () => recordSignInFailures(services, new Date().toISOString()),
    sweep_expired: async (_payload, { withPgClient }) => {
      await sweepSessions(services.db, new Date().toISOString())
      await services.db.transaction(noTenant, (tx) => sweepMailCounts(tx, new Date()))
      await withPgClient((client) => services.identity.sweepExpired(client))
    },
  }
}

/** The worker's own remarks: what fails is a warning, its comings and goings are for debugging. */
function loggerFor({ log }: Services) {
  return new WorkerLogger((scope) => (level, message) => {
    const { taskIdentifier: task, jobId } = scope
    if (level === 'error' || level === 'warning') log.warn({ task, job_id: jobId }, message)
    else log.debug({ task, job_id: jobId }, message)
  })
}

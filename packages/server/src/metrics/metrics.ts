import { effects, governanceModes } from '@mandate/contract/words/policy-words'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { DiskRoom } from '../db/disk-room.ts'
import { raw } from '../db/statements/statement.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { RateLimits } from '../rate-limits/rate-limits.ts'
import { measureCounts } from './counted-gauges.ts'
import { type AllStreamMetrics, createStreamMetrics, measureEventReads } from './stream-metrics.ts'

/** The metrics of this process, for Prometheus. A label contains at most the id of a tenant, never a name or a person. */
export interface Metrics {
  readonly contentType: string
  /**
   * Counts one response and records its duration. `operation` is an operation id of the interface, or `none`. The duration of a stream ends when its
   * headers are sent.
   */
  observeRequest(operation: string, status: number, milliseconds: number): void
  /** Starts the counters of tasks at 0. Prometheus does not see an increase in the first value of a series. */
  expectJobs(tasks: readonly string[]): void
  jobEnded(task: string, outcome: 'done' | 'failed'): void
  /** Counts a recorded decision about a call. */
  decisionStored(decision: { effect: (typeof effects)[number]; mode: (typeof governanceModes)[number] }): void
  readonly streams: AllStreamMetrics
  /** Returns the metrics as text, in the format of Prometheus. */
  expose(): Promise<string>
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

interface Measured {
  rateLimits: RateLimits
  diskRoom: DiskRoom
}

export function createMetrics({
  db,
  events,
  rateLimits,
  diskRoom,
}: Measured & { db: Database; events: EventHub }): Metrics {
  const registers = [new Registry()] as [Registry]
  const [registry] = registers
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'mandate_http_requests_total',
    help: 'Responses, by operation of the interface and status; 499 is a request that its client aborted.',
    labelNames: ['operation', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'mandate_http_request_duration_seconds',
    help: 'Time from request to response, by operation; of a stream, the time until it is open.',
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers,
  })
  const jobs = new Counter({
    name: 'mandate_jobs_total',
    help: 'Runs of background jobs, by task and outcome; a failed run is tried again.',
    labelNames: ['task', 'outcome'],
    registers,
  })
  const decisions = new Counter({
    name: 'mandate_decisions_total',
    help: 'Decisions about calls that edges recorded and this instance stored, by effect and mode; in the mode monitor, no call is stopped.',
    labelNames: ['effect', 'mode'],
    registers,
  })
  for (const effect of effects) for (const mode of governanceModes) decisions.inc({ effect, mode }, 0)
  measurePool(db, registers)
  measureCounts(db, registers)
  measureSealing(db, registers)
  measureSurroundings({ rateLimits, diskRoom }, registers)
  measureEventReads(events, registers)
  return {
    contentType: registry.contentType,
    observeRequest(operation, status, milliseconds) {
      requests.inc({ operation, status })
      durations.observe({ operation }, milliseconds / 1000)
    },
    decisionStored: ({ effect, mode }) => decisions.inc({ effect, mode }),
    expectJobs(tasks) {
      for (const task of tasks) for (const outcome of ['done', 'failed']) jobs.inc({ task, outcome }, 0)
    },
    jobEnded: (task, outcome) => jobs.inc({ task, outcome }),
    streams: createStreamMetrics(registers),
    expose: () => registry.metrics(),
  }
}

function measurePool(db: Database, registers: [Registry]): void {
  new Gauge({
    name: 'mandate_db_pool_connections',
    help: 'Connections for transactions by state; waiting counts callers that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(db.poolLoad)) this.set({ state }, count)
    },
  })
}

function measureSurroundings({ rateLimits, diskRoom }: Measured, registers: [Registry]): void {
  new Gauge({
    name: 'mandate_redis_up',
    help: '1 while Redis answers, 0 while this instance applies the rate limits separately; absent without REDIS_URL.',
    registers,
    collect() {
      const { redis } = rateLimits
      if (redis === 'none') this.remove()
      else this.set(redis === 'up' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'mandate_data_free_bytes',
    help: 'Free bytes on the disk of the embedded database; absent with DATABASE_URL.',
    registers,
    async collect() {
      const free = await diskRoom.freeBytes()
      if (free === null) this.remove()
      else this.set(free)
    },
  })
}

const unsealed = 'select count(*) as entries, min(entry_id::text) as oldest from audit_unsealed'

function measureSealing(db: Database, registers: [Registry]): void {
  const entries = new Gauge({
    name: 'mandate_audit_unsealed_entries',
    help: 'Audit entries that wait to be sealed.',
    registers,
  })
  new Gauge({
    name: 'mandate_audit_seal_lag_seconds',
    help: 'Age of the oldest audit entry that waits to be sealed.',
    registers,
    async collect() {
      // If the database cannot be reached, the other metrics are still returned.
      const row = await db.global.one(raw<{ entries: number; oldest: string | null }>(unsealed, [])).catch(() => null)
      if (!row) return
      entries.set(row.entries)
      this.set(row.oldest === null ? 0 : Math.max(0, Date.now() - uuidTime(row.oldest)) / 1000)
    },
  })
}

/** Returns the time in a version 7 UUID, in milliseconds since 1970. */
function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

import { FairQueue } from './fair-queue.ts'
import type { FindAnswer, FindJob, InspectAnswer, InspectJob, Job } from './job.ts'
import { LoopShare } from './loop-share.ts'
import { PoolBusy, SearchFailed } from './pool-errors.ts'
import { Thread, type ThreadLimits, type Work } from './thread.ts'

export interface PoolLimits extends ThreadLimits {
  /** Maximum number of worker threads. */
  readonly workers: number
  /** How long a job may wait for a worker. */
  readonly waitMs: number
  /** Maximum number of jobs that wait. Each keeps its value in memory. */
  readonly waiting: number
  /** Maximum number of jobs of one owner that wait. */
  readonly waitingOfOwner: number
}

const defaultLimits: PoolLimits = {
  workers: 2,
  searchMs: 500,
  clockMs: 5_000,
  startMs: 10_000,
  waitMs: 5_000,
  waiting: 256,
  waitingOfOwner: 16,
}

interface Waiting extends Work {
  /** Ends the time that the job may wait. */
  begin(): void
}

const closedText = 'the content pool is closed'

/**
 * Searches texts in worker threads. The threads start with the first job, and do not keep the process running. Jobs wait in a queue that is
 * fair to their owners: the agents of an edge, or the tenants of a server.
 */
export class ContentPool {
  /** For values that are inspected on the event loop. */
  readonly loop = new LoopShare()
  private readonly limits: PoolLimits
  private readonly waiting = new FairQueue<Waiting>()
  private readonly threads = new Set<Thread>()
  private isClosed = false

  constructor(limits: Partial<PoolLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits }
  }

  /**
   * Runs a job in a thread.
   * @throws PoolBusy if too many jobs wait, or if the job waits too long; TookTooLong if the search takes too long; SearchFailed if a pattern
   * cannot be compiled, if the thread ends, if no thread can be started, or if the pool is closed
   */
  run(job: InspectJob, owner: string): Promise<InspectAnswer>
  run(job: FindJob, owner: string): Promise<FindAnswer>
  run(job: Job, owner: string): Promise<InspectAnswer | FindAnswer> {
    if (this.isClosed) return Promise.reject(new SearchFailed(closedText))
    const { waiting, limits } = this
    if (waiting.size >= limits.waiting || waiting.sizeOf(owner) >= limits.waitingOfOwner)
      return Promise.reject(new PoolBusy('too many texts wait for their inspection'))
    const { promise, resolve, reject } = Promise.withResolvers<InspectAnswer | FindAnswer>()
    const timer = setTimeout(() => {
      waiting.remove(owner, item)
      reject(new PoolBusy(`the text waited more than ${limits.waitMs} ms for its inspection`))
    }, limits.waitMs)
    const item: Waiting = { job, resolve, reject, begin: () => clearTimeout(timer) }
    waiting.push(owner, item)
    this.next()
    return promise
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.rejectWaiting(closedText)
    await Promise.all([...this.threads].map((thread) => thread.stop(new SearchFailed(closedText))))
  }

  private next(): void {
    if (this.waiting.size === 0) return
    const thread = [...this.threads].find(({ isIdle }) => isIdle) ?? this.start()
    if (thread === null) return
    const item = this.waiting.shift() as Waiting
    item.begin()
    void thread.run(item).finally(() => this.next())
  }

  /** Starts another thread. Null if there are as many as there may be, or if the machine allows no other thread. */
  private start(): Thread | null {
    if (this.threads.size >= this.limits.workers) return null
    try {
      const thread = new Thread(this.limits, (ended) => this.threads.delete(ended))
      this.threads.add(thread)
      return thread
    } catch (error) {
      // Otherwise the jobs wait for a thread that runs.
      if (this.threads.size === 0) this.rejectWaiting(`no thread can be started: ${(error as Error).message}`)
      return null
    }
  }

  private rejectWaiting(reason: string): void {
    for (let item = this.waiting.shift(); item; item = this.waiting.shift()) {
      item.begin()
      item.reject(new SearchFailed(reason))
    }
  }
}

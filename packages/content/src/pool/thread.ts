import { Worker } from 'node:worker_threads'
import type { FindAnswer, InspectAnswer, Job, WorkerMessage } from './job.ts'
import { SearchFailed, TookTooLong } from './pool-errors.ts'

export interface ThreadLimits {
  /** Processor time that a search may take, in milliseconds. The time of other processes does not count. */
  readonly searchMs: number
  /** Time by the clock that a search may take, in milliseconds. */
  readonly clockMs: number
  /** Time by the clock that a worker may take to start and to compile patterns, in milliseconds. */
  readonly startMs: number
}

/** A job and what becomes of it. */
export interface Work {
  readonly job: Job
  resolve(answer: InspectAnswer | FindAnswer): void
  reject(error: Error): void
}

/** A thread that needs more memory is ended, and not the process. */
const mostMemoryMb = 512
/** The processor time of a thread is read at most this often. */
const leastWaitMs = 10

/** A worker thread that does one job at a time. It is stopped if a job takes too long. */
export class Thread {
  isIdle = true
  private readonly limits: ThreadLimits
  private readonly worker: Worker
  private readonly ready = Promise.withResolvers<void>()
  private readonly onEnd: (thread: Thread) => void
  private current: { work: Work; settled: PromiseWithResolvers<void> } | null = null
  private timer: NodeJS.Timeout | undefined
  private watchTimer: NodeJS.Timeout | undefined

  constructor(limits: ThreadLimits, onEnd: (thread: Thread) => void) {
    this.limits = limits
    this.onEnd = onEnd
    this.worker = new Worker(new URL('./content-worker.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    })
    this.worker.unref()
    this.worker.on('message', (message: WorkerMessage) => this.receive(message))
    this.worker.on('error', (error) => this.fail(error as Error))
    this.worker.on('messageerror', (error) => this.fail(error))
    this.worker.on('exit', (code) => this.fail(new Error(`the thread ended with code ${code}`)))
    this.ready.promise.catch(() => {})
  }

  /** Resolves when the thread is free again, or was stopped. Never rejects. */
  async run(work: Work): Promise<void> {
    const settled = Promise.withResolvers<void>()
    this.isIdle = false
    this.current = { work, settled }
    this.allow(this.limits.startMs)
    this.ready.promise.then(() => this.worker.postMessage(work.job)).catch((error: Error) => this.fail(error))
    await settled.promise
  }

  async stop(reason: Error): Promise<void> {
    this.onEnd(this)
    this.isIdle = false
    this.clearTimers()
    this.ready.reject(reason)
    this.settle((work) => work.reject(reason))
    await this.worker.terminate()
  }

  private fail({ message }: Error): void {
    void this.stop(new SearchFailed(`the search failed: ${message}`))
  }

  private receive(message: WorkerMessage): void {
    switch (message.type) {
      case 'ready':
        this.ready.resolve()
        break
      case 'started':
        this.allow(this.limits.clockMs)
        this.watch(message.cpu, this.limits.searchMs)
        break
      case 'done':
        this.free((work) => work.resolve(message.answer))
        break
      case 'failed':
        this.free((work) => work.reject(new SearchFailed(message.reason)))
        break
    }
  }

  private allow(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.giveUp(ms), ms)
  }

  /** Checks the processor time of the search after `ms`. `before` is the processor time of the thread when the search began. */
  private watch(before: NodeJS.CpuUsage, ms: number): void {
    const { current } = this
    const check = () =>
      this.checkTime(before).catch((error: Error) => {
        if (this.current === current) this.fail(error)
      })
    this.watchTimer = setTimeout(check, Math.max(ms, leastWaitMs)).unref()
  }

  private async checkTime(before: NodeJS.CpuUsage): Promise<void> {
    const { current } = this
    const { searchMs } = this.limits
    const { user, system } = await this.worker.cpuUsage(before)
    if (this.current !== current) return
    const left = searchMs - (user + system) / 1000
    if (left > 0) this.watch(before, left)
    else this.giveUp(searchMs)
  }

  private giveUp(ms: number): void {
    void this.stop(new TookTooLong(`the search takes more than ${ms} ms`))
  }

  private free(tell: (work: Work) => void): void {
    this.clearTimers()
    this.isIdle = true
    this.settle(tell)
  }

  // A timer that still runs would keep the value of the job in memory.
  private clearTimers(): void {
    clearTimeout(this.timer)
    clearTimeout(this.watchTimer)
  }

  private settle(tell: (work: Work) => void): void {
    const { current } = this
    this.current = null
    if (current === null) return
    tell(current.work)
    current.settled.resolve()
  }
}

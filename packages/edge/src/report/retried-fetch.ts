import { BackOff } from './back-off.ts'

export interface FetchLimits {
  /** Fetches once. A rejection is tried again after a wait. */
  fetch(signal: AbortSignal): Promise<void>
  /** Called after each failure, before the wait. */
  onFailure(error: unknown): void
}

const retries = { firstMs: 1_000, longestMs: 30_000 }

/** Fetches something from the control plane again and again until it succeeds. A request during a fetch causes another fetch after it. */
export class RetriedFetch {
  private readonly limits: FetchLimits
  private readonly stopping = new AbortController()
  private readonly backOff = new BackOff(retries)
  /** Ends with the fetch that runs, or that ran last. */
  private attempt: Promise<void> = Promise.resolve()
  /** Ends with the fetch that follows a request. Null if none is requested. */
  private next: PromiseWithResolvers<void> | null = null
  private running: Promise<void> | null = null
  private due = false
  private isFetching = false

  constructor(limits: FetchLimits) {
    this.limits = limits
  }

  /** True from a request until a fetch that began after it has succeeded. */
  get isPending(): boolean {
    return this.due || this.isFetching
  }

  /** Fetches now, also if the loop waits after a failure. */
  request(): void {
    this.backOff.answered()
    this.start()
  }

  /** Fetches now, unless the loop waits after a failure. */
  requestSoon(): void {
    if (!this.isPending) this.start()
  }

  /** Waits until the fetch that was requested last has succeeded or failed once. */
  settled(): Promise<void> {
    return this.next?.promise ?? this.attempt
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.running
    this.next?.resolve()
  }

  private start(): void {
    if (this.stopping.signal.aborted) return
    this.due = true
    this.next ??= Promise.withResolvers()
    this.running ??= this.fetchAll()
  }

  private async fetchAll(): Promise<void> {
    const { signal } = this.stopping
    while (this.due && !signal.aborted) {
      this.backOff.begin()
      const { error } = await this.fetchOnce(signal)
      if (error === undefined) this.backOff.succeed()
      else if (!signal.aborted) await this.backOff.wait(this.backOff.fail(error), signal)
    }
    // In the same turn as the check of the loop, so that no request is lost in between.
    this.running = null
  }

  private async fetchOnce(signal: AbortSignal): Promise<{ error?: unknown }> {
    const ending = this.next ?? Promise.withResolvers<void>()
    this.next = null
    this.attempt = ending.promise
    this.due = false
    this.isFetching = true
    try {
      await this.limits.fetch(signal)
      return {}
    } catch (error) {
      this.due = true
      if (!signal.aborted) this.limits.onFailure(error)
      return { error }
    } finally {
      this.isFetching = false
      ending.resolve()
    }
  }
}

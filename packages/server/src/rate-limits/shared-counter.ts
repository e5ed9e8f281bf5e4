import { setTimeout as pause } from 'node:timers/promises'
import { Redis, ReplyError } from 'ioredis'
import type { RateWindow } from './rate-windows.ts'

const commandTimeoutMs = 250
const connectTimeoutMs = 1_000
const probeEveryMs = 500
const probeKey = 'mandate:probe'

/**
 * Redis script that counts one request of a subject (for example a tenant) in a time window. The window starts with its first
 * request. ARGV[1]: length of the window in milliseconds. ARGV[2]: number of requests that the calling instance has counted in
 * the window, including this request. ARGV[3]: milliseconds until the window of the calling instance ends.
 * If Redis has lost its data or was unavailable, the instance has counted more requests than Redis. The count of the instance
 * then replaces the count in Redis.
 */
const useScript = `
  local used = redis.call('incr', KEYS[1])
  if used < tonumber(ARGV[2]) then
    used = tonumber(ARGV[2])
    redis.call('set', KEYS[1], used, 'px', ARGV[3])
  elseif redis.call('pttl', KEYS[1]) < 0 then
    redis.call('pexpire', KEYS[1], ARGV[1])
  end
  return { used, redis.call('pttl', KEYS[1]) }`

/** Called when Redis starts or stops answering. `reason` is the error. */
export type OnChange = (isUp: boolean, reason?: string) => void

/**
 * Counts requests in Redis, so that all instances share the counts of the rate limits. A circuit breaker protects the requests:
 * if a command fails or is late, the circuit opens, and requests no longer wait for Redis. A successful probe closes the
 * circuit.
 */
export class SharedCounter {
  /** Resolves when Redis has answered or failed for the first time. */
  readonly tried: Promise<void>
  private readonly redis: Redis
  private readonly onChange: OnChange
  private readonly probing: NodeJS.Timeout
  private state: 'unknown' | 'up' | 'down' = 'unknown'
  private isProbing = false
  private lastError = 'no answer'

  constructor(url: string, onChange: OnChange) {
    this.onChange = onChange
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectTimeoutMs,
      commandTimeout: commandTimeoutMs,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    })
    this.tried = new Promise((resolve) => {
      this.redis.once('ready', () => {
        this.change('up')
        resolve()
      })
      const giveUp = (error?: Error) => {
        if (this.state === 'unknown') this.change('down', error)
        resolve()
      }
      this.redis.once('error', giveUp)
      void pause(connectTimeoutMs, undefined, { ref: false }).then(() => giveUp())
    })
    this.redis.on('error', (error: Error) => {
      this.lastError = describe(error as Error)
    })
    this.redis.on('close', () => this.change('down'))
    this.probing = setInterval(() => void this.probe(), probeEveryMs)
    this.probing.unref()
  }

  get isUp(): boolean {
    return this.state === 'up'
  }

  /**
   * Counts one request, and returns the time window that all instances share in Redis. `known` is the window that this instance
   * has counted, including this request. Throws if Redis does not answer in time.
   */
  async use(key: string, windowMs: number, known: RateWindow): Promise<RateWindow> {
    const sentAt = Date.now()
    const knownMs = Math.max(1, known.endsAt - sentAt)
    const answer = await this.run(() => this.redis.eval(useScript, 1, key, windowMs, known.used, knownMs))
    const [used, leftMs] = answer as [number, number]
    // The end of the window is computed from the time at which the command was sent, so it is never later than the end in
    // Redis.
    return { used, endsAt: sentAt + leftMs }
  }

  close(): void {
    clearInterval(this.probing)
    this.redis.removeAllListeners('close')
    this.redis.disconnect()
  }

  private async run<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command()
    } catch (error) {
      this.change('down', error as Error)
      throw error
    }
  }

  private async probe(): Promise<void> {
    if (this.state !== 'down' || this.isProbing || this.redis.status !== 'ready') return
    this.isProbing = true
    try {
      // The probe increments a counter. A ping is not enough, because Redis answers a ping even if it is full or read-only.
      await this.redis.eval(useScript, 1, probeKey, probeEveryMs, 1, probeEveryMs)
      this.change('up')
    } catch (error) {
      if (error instanceof ReplyError) this.lastError = describe(error as Error)
      // A connection that does not answer may never answer again. A new connection shows whether Redis works.
      else this.redis.disconnect(true)
    }
    this.isProbing = false
  }

  private change(to: 'up' | 'down', error?: Error): void {
    if (this.state === to) return
    const isFirst = this.state === 'unknown'
    this.state = to
    if (to === 'down') this.onChange(false, error ? describe(error) : this.lastError)
    else if (!isFirst) this.onChange(true)
  }
}

const describe = (error: Error) => error.message || (error as NodeJS.ErrnoException).code || String(error)

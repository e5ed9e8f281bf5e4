import { createLruCache, type LRUCache } from './lru-cache.ts'

export interface RecentValuesOptions {
  /** Maximum number of values. The value that was not used for the longest time is dropped first. */
  capacity: number
  /** A value that is older than this, in milliseconds, is not returned. */
  maxAgeMs: number
  /** A value that is older than this, in milliseconds, is returned, and a new one is read in the background. */
  refreshAfterMs: number
}

interface Entry<V> {
  value: V
  /** Milliseconds of `performance.now()` when the read of the value started. */
  readAt: number
}

/**
 * Remembers values for a few seconds. Requests that need the same value at the same time wait for one read. A failed read is not
 * remembered: its error is thrown if there is no value to return.
 */
export class RecentValues<V extends object> {
  private readonly options: RecentValuesOptions
  private readonly known: LRUCache<string, Entry<V>>
  private readonly reading = new Map<string, Promise<V>>()

  constructor(options: RecentValuesOptions) {
    this.options = options
    this.known = createLruCache(options.capacity)
  }

  async get(key: string, read: () => Promise<V>): Promise<V> {
    const entry = this.known.get(key)
    const age = entry ? performance.now() - entry.readAt : Number.POSITIVE_INFINITY
    if (!entry || age > this.options.maxAgeMs) return await this.readOnce(key, read)
    // A failure is not an error yet. Once the value is too old, the next request reads again and gets the error.
    if (age > this.options.refreshAfterMs) this.readOnce(key, read).catch(() => {})
    return entry.value
  }

  private readOnce(key: string, read: () => Promise<V>): Promise<V> {
    const running = this.reading.get(key)
    if (running) return running
    const readAt = performance.now()
    const reading = read()
      .then((value) => {
        this.known.set(key, { value, readAt })
        return value
      })
      .finally(() => this.reading.delete(key))
    this.reading.set(key, reading)
    return reading
  }
}

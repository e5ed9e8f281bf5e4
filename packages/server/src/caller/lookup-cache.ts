import { createLruCache } from '../memory/lru-cache.ts'

// Each of 100,000 edges with one agent has its own key, and sends it every 30 seconds. A smaller cache would drop a key before its next use.
// An entry takes about 300 bytes.
const capacity = 200_000

/** Caches look-ups whose result never changes. If a look-up finds nothing, that is not cached. */
export class LookupCache<V extends object> {
  private readonly known = createLruCache<V>(capacity)

  async get(key: string, look: () => Promise<V | undefined>): Promise<V | null> {
    const remembered = this.known.get(key)
    if (remembered !== undefined) return remembered
    const found = await look()
    if (found === undefined) return null
    this.known.set(key, found)
    return found
  }

  forget(key: string): void {
    this.known.delete(key)
  }
}

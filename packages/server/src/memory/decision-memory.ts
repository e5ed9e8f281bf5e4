import type { CompiledPolicy } from '@mandate/policy/evaluate'
import { createLruCache } from './lru-cache.ts'

const rememberedNames = 200_000
const rememberedSpans = 10_000
const rememberedPolicies = 200

/**
 * Remembers which tools and kinds of decisions are stored, so that most batches need no look-up. Names are added after the commit of the
 * transaction that stored them, and names are never deleted, so a remembered name is always stored.
 */
export class KnownNames {
  private readonly known = createLruCache<true>(rememberedNames)

  has(tenantId: string, name: string): boolean {
    return this.known.get(`${tenantId} ${name}`) === true
  }

  add(tenantId: string, names: Iterable<string>): void {
    for (const name of names) this.known.set(`${tenantId} ${name}`, true)
  }
}

/** Gives batches that are stored at the same time different places, so that they do not wait for the same rows of counts. */
export class BatchPlaces {
  private readonly taken = new Map<string, Set<number>>()

  /** Runs `store` with the lowest place that no other batch of the tenant in this process has. */
  async use<T>(tenantId: string, store: (place: number) => Promise<T>): Promise<T> {
    const taken = this.taken.get(tenantId) ?? new Set()
    this.taken.set(tenantId, taken)
    let place = 0
    while (taken.has(place)) place++
    taken.add(place)
    try {
      return await store(place)
    } finally {
      taken.delete(place)
      if (taken.size === 0) this.taken.delete(tenantId)
    }
  }
}

/** From when to when the decisions of one partition were made, in whole hours. Times are ISO 8601. */
export interface Span {
  day: string
  firstAt: string
  lastAt: string
}

/**
 * What this process knows is stored already. Spans only grow and names are never deleted, so a remembered fact stays true.
 */
export class DecisionMemory {
  readonly names = new KnownNames()
  readonly places = new BatchPlaces()
  /** Policies, by version. They contain only the rules that read arguments. An entry never becomes stale, because versions do not change. */
  readonly readingPolicies = createLruCache<CompiledPolicy>(rememberedPolicies)
  private readonly spans = createLruCache<Span>(rememberedSpans)

  /** Returns the spans that are not known to be stored. */
  unstored(tenantId: string, retentionDays: number, spans: readonly Span[]): Span[] {
    return spans.filter((span) => {
      const known = this.spans.get(`${tenantId} ${retentionDays} ${span.day}`)
      return !known || span.firstAt < known.firstAt || span.lastAt > known.lastAt
    })
  }

  addSpans(tenantId: string, retentionDays: number, spans: readonly Span[]): void {
    for (const span of spans) {
      const key = `${tenantId} ${retentionDays} ${span.day}`
      const known = this.spans.get(key) ?? span
      this.spans.set(key, {
        day: span.day,
        firstAt: span.firstAt < known.firstAt ? span.firstAt : known.firstAt,
        lastAt: span.lastAt > known.lastAt ? span.lastAt : known.lastAt,
      })
    }
  }
}

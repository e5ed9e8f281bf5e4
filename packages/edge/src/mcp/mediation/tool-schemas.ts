import type { SeenDefinition } from '../../guard/tool-definition.ts'
import type { OfferedTool } from './filter-tools.ts'

type Declared = ReadonlySet<string> | null

interface Schema {
  declared: Declared
  /** The hash of the definition that the server declared last. Null if it cannot be pinned, or if the store was full. */
  hash: string | null
  /** The time at which the server last declared the tool, in milliseconds of the monotonic clock. */
  at: number
}

interface Listing {
  readonly beganAt: number
  readonly done: Promise<void>
}

/** The source of requests without a session: they share one process of a started server. */
export const sharedSource = ''

/** The tools that one process or one session of the server declared. */
interface Source {
  readonly tools: Map<string, Schema>
  characters: number
}

/** How long a tool's schema, and the tool list of a server, stay fresh. In milliseconds. */
const freshMs = 5 * 60_000
const listFreshMs = 10_000
/**
 * Maximum number of characters that are stored for one server of a client: the names of tools and arguments, plus `overhead` for each name.
 */
const maxCharacters = 16 << 20
const overhead = 128
const maxListings = 1000

/**
 * Stores the tools that a server declares to one client. A `source` is one process of the server, or one session with it. Two sources may declare
 * a tool differently, so the tools are stored for each source.
 */
export class ToolSchemas {
  /** In the order of their last lists, the oldest first. */
  private readonly sources = new Map<string, Source>()
  private readonly listings = new Map<string, Listing>()
  /** The sources that were asked for their tools before a first call. */
  private readonly tried = new Set<string>()
  private characters = 0
  private isFull = false

  note(from: string, tools: readonly OfferedTool[]): void {
    const source = this.sources.get(from) ?? { tools: new Map(), characters: 0 }
    this.sources.delete(from)
    this.sources.set(from, source)
    for (const { name, declared = null, definition } of tools) {
      const kept = source.tools.get(name)
      const size = sizeOf(name, declared) - sizeOf(name, kept?.declared)
      while (this.characters + size > maxCharacters && this.sources.size > 1) this.forgetOldest()
      if (this.characters + size > maxCharacters) {
        this.isFull = true
        if (kept) kept.hash = null
        continue
      }
      this.characters += size
      source.characters += size
      source.tools.set(name, { declared, hash: definition?.hash ?? null, at: performance.now() })
    }
  }

  /** Forgets what a source declared, because it ended or is another process now. */
  forget(from: string): void {
    this.characters -= this.sources.get(from)?.characters ?? 0
    this.sources.delete(from)
    this.listings.delete(from)
    this.tried.delete(from)
    if (this.sources.size === 0) this.isFull = false
  }

  private forgetOldest(): void {
    const [oldest] = this.sources.keys()
    if (oldest !== undefined) this.forget(oldest)
  }

  /** Returns the hash of the definition that the source declared last. */
  definitionOf(tool: string, from: string): SeenDefinition {
    return this.sources.get(from)?.tools.get(tool)?.hash
  }

  /**
   * Lists the tools of a server, so that `definitionOf` knows them. If `isNeeded` is false, it lists them once for each `source`, and a failure is
   * no error. @throws if `isNeeded` is true and `list` fails
   */
  async learn(tool: string, source: string, list: () => Promise<void>, isNeeded: boolean): Promise<void> {
    if (isNeeded) {
      await this.declaredOf(tool, source, list)
      return
    }
    if (this.tried.has(source)) return
    if (this.tried.size >= maxListings) this.tried.clear()
    this.tried.add(source)
    await this.listed(source, list, performance.now() - listFreshMs).catch(() => {})
  }

  /**
   * Returns the names of the arguments that the tool declares, or null if its server declares no schema for it. If the schema
   * is unknown or stale, calls `list`, which requests the tools of the server and stores them. Callers with the same `source`
   * share one call of `list`.
   * @throws if `list` fails and the server never declared this tool, or if the store was too full for the tool's schema
   */
  async declaredOf(tool: string, source: string, list: () => Promise<void>): Promise<Declared> {
    const kept = this.schemaOf(tool, source)
    if (kept && performance.now() - kept.at < freshMs) return kept.declared
    const now = performance.now()
    try {
      await this.listed(source, list, now - listFreshMs)
      // The server may have added this tool after the last list request, so its tools are requested again.
      if (this.schemaOf(tool, source) === undefined) await this.listed(source, list, now)
    } catch (error) {
      // An earlier page may have had the tool.
      if (this.schemaOf(tool, source) === undefined) throw error
    }
    const known = this.schemaOf(tool, source)
    if (!known && this.isFull)
      throw new Error(
        'the edge cannot store the arguments of the tool: its server declares too many tools and arguments',
      )
    return known?.declared ?? null
  }

  private schemaOf(tool: string, source: string): Schema | undefined {
    return this.sources.get(source)?.tools.get(tool)
  }

  /** Waits for a list request that began at `since` or later. Makes another list request if the last one is older. */
  private listed(source: string, list: () => Promise<void>, since: number): Promise<void> {
    const last = this.listings.get(source)
    if (last && last.beganAt >= since) return last.done
    if (this.listings.size >= maxListings) this.listings.clear()
    const listing: Listing = { beganAt: performance.now(), done: list() }
    this.listings.set(source, listing)
    listing.done.catch(() => {
      if (this.listings.get(source) === listing) this.listings.delete(source)
    })
    return listing.done
  }
}

function sizeOf(name: string, declared: Declared | undefined): number {
  if (declared === undefined) return 0
  let size = name.length + overhead
  for (const argument of declared ?? []) size += argument.length + overhead
  return size
}

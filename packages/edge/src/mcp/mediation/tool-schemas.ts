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

/** How long a tool's schema, and the tool list of a server, stay fresh. In milliseconds. */
const freshMs = 5 * 60_000
const listFreshMs = 10_000
/**
 * Maximum number of characters that are stored for one client: the names of tools and arguments, plus `overhead` for each name.
 */
const maxCharacters = 16 << 20
const overhead = 128
const maxListings = 1000

/** Stores which arguments each tool declares, for the tool servers of one client. */
export class ToolSchemas {
  private readonly schemas = new Map<string, Schema>()
  private readonly listings = new Map<string, Listing>()
  /** The sources that were asked for their tools before a first call. */
  private readonly tried = new Set<string>()
  private characters = 0
  private isFull = false

  note(tools: readonly OfferedTool[]): void {
    for (const { name, declared = null, definition } of tools) {
      const kept = this.schemas.get(name)
      const size = sizeOf(name, declared) - sizeOf(name, kept?.declared)
      if (this.characters + size > maxCharacters) {
        this.isFull = true
        if (kept) kept.hash = null
        continue
      }
      this.characters += size
      this.schemas.set(name, { declared, hash: definition?.hash ?? null, at: performance.now() })
    }
  }

  /** Deletes the tools for which `isGone` returns true. Also deletes the results of all earlier list requests. */
  forget(isGone: (tool: string) => boolean): void {
    for (const [name, { declared }] of this.schemas) {
      if (!isGone(name)) continue
      this.schemas.delete(name)
      this.characters -= sizeOf(name, declared)
    }
    this.isFull = false
    this.listings.clear()
    this.tried.clear()
  }

  /** Returns the hash of the definition that the tool's server declared last. */
  definitionOf(tool: string): SeenDefinition {
    return this.schemas.get(tool)?.hash
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
    const kept = this.schemas.get(tool)
    if (kept && performance.now() - kept.at < freshMs) return kept.declared
    const now = performance.now()
    try {
      await this.listed(source, list, now - listFreshMs)
      // The server may have added this tool after the last list request, so its tools are requested again.
      if (!this.schemas.has(tool)) await this.listed(source, list, now)
    } catch (error) {
      // An earlier page may have had the tool.
      if (!this.schemas.has(tool)) throw error
    }
    const known = this.schemas.get(tool)
    if (!known && this.isFull)
      throw new Error(
        'the edge cannot store the arguments of the tool: the servers of this client declare too many tools and arguments',
      )
    return known?.declared ?? null
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

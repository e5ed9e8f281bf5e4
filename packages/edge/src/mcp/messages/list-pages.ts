import type { JsonObject } from './json.ts'
import { isObject } from './read-message.ts'

const mostPages = 1000
/** Maximum number of lists whose pages are counted. Above the limit, the list that was requested least recently is forgotten. */
const mostLists = 10_000

/** A request after this time without a request for the same list is for its first page, because no client waits so long between two pages. */
const longestPauseMs = 60_000

/** Where a list is requested: the tool server, and the client's session with it if there is one. */
interface Asked {
  readonly server: string
  readonly sessionId?: string | undefined
}

/** Counts the pages of lists that one client requests. The limit is needed because a server could return an endless list. */
export class ListPages {
  private readonly pages = new Map<string, { page: number; atMs: number }>()
  private readonly withEmptyCursor = new Set<string>()
  private readonly now: () => number

  /** @param now a clock in milliseconds that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /**
   * Counts a request for a page of a list. Without a cursor, with null and with an empty cursor, it is the first page. Returns false after a
   * thousand pages of the same list in the same session.
   */
  ask({ server, sessionId }: Asked, { method, params }: JsonObject): boolean {
    const key = JSON.stringify([server, sessionId, method])
    const cursor = isObject(params) ? params.cursor : undefined
    const isFirst = cursor == null || (cursor === '' && !this.withEmptyCursor.has(server))
    const last = this.pages.get(key)
    const atMs = this.now()
    const page = isFirst || !last || atMs - last.atMs > longestPauseMs ? 1 : last.page + 1
    if (page > mostPages) return false
    this.pages.delete(key)
    this.pages.set(key, { page, atMs })
    const [oldest] = this.pages.keys()
    if (oldest !== undefined && this.pages.size > mostLists) this.pages.delete(oldest)
    return true
  }

  /**
   * Notes a server that names its next page by an empty cursor. Then a request with an empty cursor is not for the first page, because such a
   * list could be endless too.
   */
  noteAnswer({ server }: Asked, { result }: JsonObject): void {
    if (isObject(result) && result.nextCursor === '') this.withEmptyCursor.add(server)
  }
}

import type { JsonObject } from './json.ts'
import { isObject } from './read-message.ts'

const mostPages = 1000

/** Counts the pages of lists that one client requests. The limit is needed because a server could return an endless list. */
export class ListPages {
  private readonly pages = new Map<string, number>()

  /** Counts a request for a page of a list. Without a cursor, or with null, it is the first page. Returns false after a thousand pages of the same list. */
  ask(server: string, { method, params }: JsonObject): boolean {
    const key = `${server} ${String(method)}`
    const isFirst = !isObject(params) || params.cursor == null
    const page = isFirst ? 1 : (this.pages.get(key) ?? 0) + 1
    if (page > mostPages) return false
    this.pages.set(key, page)
    return true
  }
}

import type { JsonObject } from './json.ts'
import { isObject } from './read-message.ts'

const mostPages = 1000

/** Counts the pages of lists that one client asks for, so that a server whose lists do not end keeps nobody busy for ever. */
export class ListPages {
  private readonly pages = new Map<string, number>()

  /** Counts a request for a page; false for more than a thousand pages since the list was asked for from its start. */
  ask(server: string, { method, params }: JsonObject): boolean {
    const key = `${server} ${String(method)}`
    const isFirst = !isObject(params) || params.cursor === undefined
    const page = isFirst ? 1 : (this.pages.get(key) ?? 0) + 1
    if (page > mostPages) return false
    this.pages.set(key, page)
    return true
  }
}

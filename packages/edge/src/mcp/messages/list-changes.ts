import type { JsonObject } from './json.ts'
import { isObject } from './read-message.ts'

/** The lists that the edge shortens by the policy. A capability of the same name says that a server has the list. */
export const filteredLists = ['tools', 'prompts', 'resources'] as const
export type FilteredList = (typeof filteredLists)[number]

/** The end of the methods that say that a list changed. */
export const listChangedEnd = '/list_changed'

/** Builds the notification that a list changed. */
export function listChanged(list: FilteredList): JsonObject {
  return { jsonrpc: '2.0', method: `notifications/${list}${listChangedEnd}` }
}

/**
 * Knows which lists each server of one client has. After a change of the policy, the edge sends a notification for each of them. Clients ignore
 * notifications that are not declared, so the edge also adds `listChanged` to these capabilities.
 */
export class DeclaredLists {
  private readonly byServer = new Map<string, readonly FilteredList[]>()

  /** Notes the lists in a server's answer to `initialize`, and returns the answer with `listChanged` in the capability of each list. */
  declare(server: string, message: JsonObject): JsonObject {
    const { result } = message
    if (!isObject(result) || !isObject(result.capabilities)) return message
    const { capabilities } = result
    const has = filteredLists.filter((list) => isObject(capabilities[list]))
    this.byServer.set(server, has)
    const changed = has.filter((list) => (capabilities[list] as JsonObject).listChanged !== true)
    if (changed.length === 0) return message
    const added = changed.map((list) => [list, { ...(capabilities[list] as JsonObject), listChanged: true }])
    return { ...message, result: { ...result, capabilities: { ...capabilities, ...Object.fromEntries(added) } } }
  }

  /**
   * Builds the notifications for a client after a change of the policy: one for each list of the server. A session that was opened before the
   * edge started has unknown lists, and is told of its tools.
   */
  changesOf(server: string): JsonObject[] {
    return (this.byServer.get(server) ?? ['tools' as const]).map(listChanged)
  }
}

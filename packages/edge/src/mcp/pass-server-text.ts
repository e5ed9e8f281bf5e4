import { filterTools, type OfferedTool } from './filter-tools.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Passage } from './judge-message.ts'

/** What a tool server said: the text to send on, and its messages for those who must look at them. */
export interface ServerText {
  text: string
  messages: readonly JsonValue[]
}

/** Called with all tools in a list that the server gave out. */
export type OnOffer = (tools: readonly OfferedTool[]) => void

/**
 * Prepares what the server sent for the agent: lists of tools are filtered, all else stays the text it was.
 * Null where the text is no JSON.
 */
export function passServerText(text: string, { guard, server }: Passage, onOffer: OnOffer): ServerText | null {
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const lists = (Array.isArray(value) ? value : [value]).map((message) => filterTools(message, server, guard))
  if (lists.every((list) => list === null)) return { text, messages: Array.isArray(value) ? value : [value] }
  for (const list of lists) if (list) onOffer(list.offered)
  const messages = (Array.isArray(value) ? value : [value]).map((message, index) => lists[index]?.message ?? message)
  if (!lists.some((list) => list?.differs)) return { text, messages }
  return { text: JSON.stringify(Array.isArray(value) ? messages : messages[0]), messages }
}

export const listChanged: JsonObject = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

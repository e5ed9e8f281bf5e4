import type { JsonValue } from '../mcp/messages/json.ts'
import { isObject } from '../mcp/messages/read-message.ts'

type Fields = { readonly [key: string]: JsonValue }

/** Where files have their servers: that of an edge, of most clients, of the settings of VS Code, and of Zed. */
const places = [['servers'], ['mcpServers'], ['mcp', 'servers'], ['context_servers']]

/** The servers of a file. `place` is the key that has them, such as `mcpServers`. */
export interface ServerList {
  place: string
  servers: Fields
}

/** Returns the list of servers in a file. Undefined if the file has none. @throws an error if it has several lists with servers */
export function findServerList(value: JsonValue): ServerList | undefined {
  const found = places.flatMap((keys) => {
    const list = keys.reduce<JsonValue | undefined>(
      (at, key) => (isObject(at ?? null) ? (at as Fields)[key] : undefined),
      value,
    )
    return list === undefined ? [] : [{ place: keys.join('.'), list }]
  })
  const filled = found.filter(({ list }) => list !== null && !(isObject(list) && Object.keys(list).length === 0))
  const [first = found[0], second] = filled
  if (first && second)
    throw new Error(`the file has both ${first.place} and ${second.place}; put all servers into one of them`)
  return first && isObject(first.list) ? { place: first.place, servers: first.list } : undefined
}

/** Fields of clients with the tools that they call without asking a person. */
const approvals = ['autoApprove', 'alwaysAllow', 'autoAllow', 'trust']
const otherNamesOfUrl = ['httpUrl', 'serverUrl']
/** The values of `transport`, the name of `type` in FastMCP and LangChain, and how `type` names them. */
const transports = new Map<unknown, string>([
  ['stdio', 'stdio'],
  ['sse', 'sse'],
  ...['http', 'streamable-http', 'streamable_http', 'streamableHttp'].map((name) => [name, 'http'] as const),
])

/**
 * Reads the fields that only clients have. Leaves out disabled servers and the approvals of clients, and passes a sentence about each to `note`.
 * Returns the servers without these fields, and what is wrong with the others.
 */
export function readClientFields({ place, servers }: ServerList, note: (text: string) => void) {
  const faults: string[] = []
  const read = Object.entries(servers).flatMap(([name, server]): [string, JsonValue][] => {
    if (!isObject(server)) return [[name, server]]
    const at = `${place}.${name}`
    const { disabled = false, enabled = true, ...rest } = server as Fields
    if (disabled === true || enabled === false) {
      note(`${at} is disabled, so the edge leaves it out`)
      return []
    }
    if (disabled !== false || enabled !== true) faults.push(`${at}: disabled and enabled must be true or false`)
    return [[name, withoutClientFields(rest, at, note, faults)]]
  })
  return { servers: Object.fromEntries(read), faults }
}

function withoutClientFields(server: Fields, at: string, note: (text: string) => void, faults: string[]): JsonValue {
  const { timeout, source, transport, ...rest } = server
  const left: Record<string, JsonValue> = source === undefined || source === 'custom' ? rest : { ...rest, source }
  if (timeout !== undefined)
    faults.push(`${at}.timeout is not used, because clients mean seconds or milliseconds; use timeout_seconds`)
  if (transport !== undefined) {
    const read = transports.get(transport)
    const { type = read } = left
    if (read === undefined) faults.push(`${at}.transport must be one of ${[...transports.keys()].join(', ')}`)
    else if ((transports.get(type) ?? type) !== read)
      faults.push(`${at} has both type ${JSON.stringify(type)} and transport ${JSON.stringify(transport)}; keep one`)
    else left.type = read
  }
  for (const field of approvals) {
    const given = left[field]
    delete left[field]
    if (given === undefined || given === false || (Array.isArray(given) && given.length === 0)) continue
    note(`${at}.${field} has no effect: the policy of an agent decides which calls pass`)
  }
  for (const field of otherNamesOfUrl) {
    const given = left[field]
    if (given === undefined) continue
    faults.push(`${at} has an unknown field: ${field}; did you mean url?`)
    delete left[field]
    left.url ??= given
  }
  return left
}

import { templatePrefix } from '@mandate/policy/may-pass'
import { uriReadings } from '@mandate/policy/uri-readings'
import type { Guard } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { fold, isObject } from '../messages/read-message.ts'
import { isUri, promptName, resourceName } from './calls-of.ts'
import { filterTools, mostListed, type OfferedTool } from './filter-tools.ts'

/**
 * The part of a server's answer that the agent may see, whether that part differs from the original, and the tools that the
 * server offers.
 */
export interface Filtered {
  message: JsonObject
  differs: boolean
  offered: readonly OfferedTool[]
}

type ListGuard = Pick<Guard, 'mayList' | 'mayShow' | 'mayShowPrompt' | 'mayShowUris'>

/**
 * Removes from a list every tool, resource, template and prompt that the policy always denies. Finds a list by the fields of
 * the message. Does not use the request that the message answers, because the server may replay an answer on another stream.
 */
export function filterLists(message: JsonObject, server: string, guard: ListGuard): Filtered {
  const cut = cutLists(withoutVariants(message))
  const tools = filterTools(cut, server, guard)
  const listed = tools?.message ?? cut
  const { result } = listed
  if (!isObject(result)) return { message: listed, differs: false, offered: [] }
  const lists = {
    ...listOf(result, 'resources', (entry) => isUri(entry.uri) && mayRead(guard, server, entry.uri)),
    ...listOf(result, 'resourceTemplates', (entry) => {
      return typeof entry.uriTemplate === 'string' && mayReadSome(guard, server, entry.uriTemplate)
    }),
    ...listOf(result, 'prompts', ({ name, arguments: declared }) => {
      const known = typeof name === 'string' ? promptName(server, name) : null
      return known !== null && mayShowPrompt(guard, known, argumentsOfPrompt(declared))
    }),
  }
  const isShared = result.cacheScope === 'public' && (Object.keys(lists).length > 0 || Array.isArray(result.contents))
  const isShorter = Object.entries(lists).some(([name, list]) => list.length < (result[name] as JsonValue[]).length)
  const differs = isShared || isShorter || tools?.differs === true || cut !== message
  const offered = tools?.offered ?? []
  if (!differs) return { message, differs, offered }
  const filtered = { ...result, ...lists, ...(isShared && { cacheScope: 'private' }) }
  return { message: { ...listed, result: filtered }, differs, offered }
}

/** Whether the agent may read a resource. If not, the resource is not listed, and the agent gets no notifications about it. */
export function mayRead(guard: Pick<Guard, 'mayShow'>, server: string, uri: string): boolean {
  try {
    return guard.mayShow(resourceName(server, 'read'), uriReadings(uri))
  } catch {
    return false
  }
}

/**
 * Takes the template's text up to its first variable. Returns false if the policy denies every URI that starts with this text.
 */
function mayReadSome(guard: ListGuard, server: string, template: string): boolean {
  try {
    const prefix = templatePrefix(template)
    return (prefix === '' || isUri(prefix)) && guard.mayShowUris(resourceName(server, 'read'), prefix)
  } catch {
    return false
  }
}

function mayShowPrompt(guard: ListGuard, ...prompt: Parameters<Guard['mayShowPrompt']>): boolean {
  try {
    return guard.mayShowPrompt(...prompt)
  } catch {
    return false
  }
}

/**
 * Returns the names of the arguments that a prompt declares. A prompt without a list has no arguments (MCP). Returns null if the list is
 * malformed.
 */
function argumentsOfPrompt(declared: JsonValue | undefined): ReadonlySet<string> | null {
  if (declared === undefined || declared === null) return new Set()
  if (!Array.isArray(declared)) return null
  const names = declared.map((one) => (isObject(one) ? one.name : undefined))
  return names.every((name) => typeof name === 'string') ? new Set(names) : null
}

function listOf(
  result: JsonObject,
  name: string,
  isShown: (entry: JsonObject) => boolean,
): Record<string, JsonValue[]> {
  const list = result[name]
  return Array.isArray(list) ? { [name]: list.filter((entry) => isObject(entry) && isShown(entry)) } : {}
}

const listNames = ['tools', 'resources', 'resourceTemplates', 'prompts']
const foldedNames: ReadonlySet<string> = new Set(listNames.map(fold))
const longestVariant = 50

/**
 * Removes fields such as `Tools`, whose name differs from `tools` or another list field only in letter case or Unicode form.
 * The edge does not filter such a list, but a client that ignores letter case would read it.
 */
function withoutVariants(message: JsonObject): JsonObject {
  const { result } = message
  if (!isObject(result)) return message
  const isVariant = (key: string) =>
    key.length <= longestVariant && !listNames.includes(key) && foldedNames.has(fold(key))
  if (!Object.keys(result).some(isVariant)) return message
  const kept = Object.entries(result).filter(([key]) => !isVariant(key))
  return { ...message, result: Object.fromEntries(kept) }
}

function cutLists(message: JsonObject): JsonObject {
  const { result } = message
  if (!isObject(result)) return message
  const long = ['resources', 'resourceTemplates', 'prompts'].filter((name) => {
    const list = result[name]
    return Array.isArray(list) && list.length > mostListed
  })
  if (long.length === 0) return message
  const cut = Object.fromEntries(long.map((name) => [name, (result[name] as JsonValue[]).slice(0, mostListed)]))
  return { ...message, result: { ...result, ...cut } }
}

import { escapeSegment, mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { uriReadings } from '@mandate/policy/uri-readings'
import type { ToolCall } from '../../guard/guard.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { knownParams, subscriptionFilters } from '../messages/methods.ts'
import { fold, isObject } from '../messages/read-message.ts'

/** The calls of a request that need a policy decision, or the reason why the request is refused without a decision. */
export type Calls = { ok: true; calls: readonly ToolCall[] } | { ok: false; error: string }

const longestUri = 8192
const maxUris = 100

/** Lists the calls in a JSON-RPC request that need a policy decision, with the names that policies use. */
export function callsOf(server: string, { method, params: given }: JsonObject): Calls {
  const params = isObject(given) ? given : {}
  const known = knownParams[String(method)]
  const unknown = Object.keys(params).find((key) => !known?.has(key))
  if (unknown !== undefined) return refuse(`Unknown parameter ${JSON.stringify(unknown)}`)
  switch (method) {
    case 'tools/call':
      return namedCall(mcpToolName(server, nameIn(params)), params.arguments, noName('tool', params))
    case 'prompts/get':
      return namedCall(promptName(server, nameIn(params)), params.arguments, noName('prompt', params))
    case 'resources/read':
      return uriCalls(server, 'read', [params.uri])
    case 'resources/subscribe':
      return uriCalls(server, 'subscribe', [params.uri])
    case 'subscriptions/listen':
      return subscriptionCalls(server, params.notifications)
    case 'completion/complete':
      return completionCall(server, params)
    default:
      return refuse('Method not supported: policies have no rules for it')
  }
}

/**
 * Returns the name of an operation on a server's resources in policies: `resource:<server>/read` or
 * `resource:<server>/subscribe`.
 */
export function resourceName(server: string, operation: 'read' | 'subscribe'): string {
  return `resource:${server}/${operation}`
}

/** Returns the name of a server's prompt in policies, `prompt:<server>/<name>`. Returns null if no valid name exists. See `mcpToolName`. */
export function promptName(server: string, prompt: string): string | null {
  const longest = 200
  if (prompt === '' || prompt.length > longest || !prompt.isWellFormed()) return null
  const name = `prompt:${server}/${escapeSegment(prompt)}`
  return name.length > longest ? null : name
}

/** Whether a value is a valid URI of a resource. */
export function isUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri !== '' && uri.length <= longestUri && !/[\p{Cc}\p{Cs}]/u.test(uri)
}

function nameIn({ name }: JsonObject): string {
  return typeof name === 'string' ? name : ''
}

function noName(kind: 'tool' | 'prompt', holder: JsonObject): string {
  if (nameIn(holder) === '') return `The ${kind} has no name: name must be a string that is not empty`
  return `Policies cannot name the ${kind}: its name is too long or has unpaired surrogates`
}

function namedCall(tool: string | null, given: JsonValue | undefined, noName: string): Calls {
  const args = given ?? {}
  if (tool === null) return refuse(noName)
  if (!isObject(args)) return refuse('Arguments must be an object')
  if (hasTwins(args)) return refuse('Two argument names differ only in letter case')
  return { ok: true, calls: [{ tool, args }] }
}

function uriCalls(server: string, operation: 'read' | 'subscribe', uris: readonly (JsonValue | undefined)[]): Calls {
  if (uris.length > maxUris) return refuse(`A request may name at most ${maxUris} resources`)
  if (!uris.every(isUri))
    return refuse(`Each resource needs a uri of 1 to ${longestUri} characters, without control characters`)
  const tool = resourceName(server, operation)
  const calls = uris.map((uri) => {
    const [args, ...otherArgs] = uriReadings(uri)
    return { tool, args, ...(otherArgs.length > 0 && { otherArgs }) }
  })
  return { ok: true, calls }
}

function subscriptionCalls(server: string, notifications: JsonValue | undefined): Calls {
  if (!isObject(notifications)) return refuse('notifications must be an object')
  const unknown = Object.keys(notifications).find((key) => !subscriptionFilters.has(key))
  if (unknown !== undefined) return refuse(`Unknown notification ${JSON.stringify(unknown)}`)
  const { resourceSubscriptions: uris = [] } = notifications
  return Array.isArray(uris) ? uriCalls(server, 'subscribe', uris) : refuse('resourceSubscriptions must be a list')
}

/**
 * Returns the call that a completion counts as. A completion for a prompt counts as a call of that prompt, with the arguments
 * that are already set. A completion for a resource template counts as a read. The URI, and the argument to complete, are null: they exist, and
 * every other condition on them is an error.
 */
function completionCall(server: string, { ref, argument, context }: JsonObject): Calls {
  if (!isObject(ref) || !isObject(argument)) return refuse('ref and argument must be objects')
  const given = isObject(context) ? context : {}
  const isVaried = hasVariant(ref, ['type', 'name', 'uri']) || hasVariant(argument, ['name', 'value'])
  if (isVaried || hasVariant(given, ['arguments'])) {
    return refuse(
      'A field of ref, argument or context differs from a known field only in letter case: use the exact field name',
    )
  }
  if (ref.type === 'ref/resource') {
    if (!isUri(ref.uri)) return refuse('ref has no uri')
    return { ok: true, calls: [{ tool: resourceName(server, 'read'), args: { uri: null } }] }
  }
  if (ref.type !== 'ref/prompt') return refuse('ref has an unknown type')
  const settled = isObject(given.arguments) ? given.arguments : {}
  const sought: [string, null][] = typeof argument.name === 'string' ? [[argument.name, null]] : []
  const args = Object.fromEntries([...Object.entries(settled), ...sought])
  return namedCall(promptName(server, nameIn(ref)), args, noName('prompt', ref))
}

/**
 * Whether an object in the value has two names that differ only in letter case. Rules check the argument "path". If there is also "Path", a server
 * that ignores case might use it.
 */
export function hasTwins(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasTwins)
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return new Set(names.map(fold)).size < names.length || Object.values(value).some(hasTwins)
}

function hasVariant(value: JsonObject, known: readonly string[]): boolean {
  return Object.keys(value).some((key) => !known.includes(key) && known.includes(fold(key)))
}

function refuse(error: string): Calls {
  return { ok: false, error }
}

import type { IncomingHttpHeaders } from 'node:http'
import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import { maxDepth } from '../../json/name-ambiguity.ts'
import { isStateless } from './answer-stopped-call.ts'
import { decodeHeader } from './check-mirrored-headers.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './read-message.ts'

/** An argument that clients must repeat in a header. Proxies that do not read bodies use the header. */
export interface MirroredArgument {
  /** For example `Mcp-Param-Region`. */
  readonly header: string
  /** The path to the argument: the property names from the outermost object to the argument. */
  readonly path: readonly string[]
}

/** Maximum number of arguments per tool that the edge compares with the headers that repeat them. */
const mostOfTool = 500

/**
 * Lists the arguments of a tool that clients must repeat in headers. These are the properties in the tool's `inputSchema`, at
 * any depth, that have `x-mcp-header`. In other places, such as below `items`, MCP does not allow `x-mcp-header`, so the edge
 * ignores it there.
 */
export function mirroredArguments({ inputSchema }: JsonObject): MirroredArgument[] {
  const found: MirroredArgument[] = []
  for (const argument of declaredIn(inputSchema, [])) if (found.push(argument) === mostOfTool) break
  return found
}

function* declaredIn(schema: JsonValue | undefined, path: readonly string[]): Generator<MirroredArgument> {
  if (!isObject(schema)) return
  const name = schema['x-mcp-header']
  if (typeof name === 'string' && isToken(name) && path.length > 0) yield { header: `Mcp-Param-${name}`, path }
  if (!isObject(schema.properties) || path.length === maxDepth) return
  for (const [key, property] of Object.entries(schema.properties)) yield* declaredIn(property, [...path, key])
}

// RFC 9110, 5.6.2.
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
}

/**
 * A client repeats some tool arguments in headers. Returns a text about the first header whose value differs from its argument,
 * or null if all headers match.
 * An absent header is a mismatch only in MCP revisions from 2026-07-28 on, which require these headers. `mirrored` is null if
 * it is unknown which arguments need headers. Then every `Mcp-Param-` header is a mismatch, because no header can be checked.
 */
export function checkMirroredArguments(
  headers: IncomingHttpHeaders,
  params: JsonObject,
  mirrored: readonly MirroredArgument[] | null,
): string | null {
  if (mirrored === null) {
    const sent = Object.keys(headers).find((name) => name.startsWith('mcp-param-'))
    return sent === undefined ? null : `${sent} cannot be compared: the servers declare more than the edge can store`
  }
  for (const { header, path } of mirrored) {
    const sent = headers[header.toLowerCase()]
    const argument = argumentAt(params.arguments, path)
    if (sent === undefined ? isExpected(argument) && isStateless(params) : !says(String(sent), argument)) {
      return `${header} is not the argument ${path.join('.')} of the message`
    }
  }
  return null
}

function argumentAt(args: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = args
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** Whether clients must repeat this value in a header. They repeat only texts, numbers and booleans. */
function isExpected(argument: JsonValue | undefined): boolean {
  return ['string', 'number', 'boolean'].includes(typeof argument)
}

function says(sent: string, argument: JsonValue | undefined): boolean {
  const text = decodeHeader(sent)
  if (text === null || !isExpected(argument)) return false
  if (typeof argument !== 'number') return text === String(argument)
  // Numbers are compared by their values, so 42.0 equals 42.
  return /^-?\d+(?:\.\d+)?$/.test(text) && isExactNumber(text) ? Number(text) === argument : text === String(argument)
}

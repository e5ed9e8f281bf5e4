import type { IncomingHttpHeaders } from 'node:http'
import { isExactNumber } from '../../json/is-exact-number.ts'
import { maxDepth } from '../../json/name-ambiguity.ts'
import { isStateless } from './answer-stopped-call.ts'
import { decodeHeader } from './check-mirrored-headers.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './read-message.ts'

/** An argument that clients repeat in a header, for those on the way that read no bodies. */
export interface MirroredArgument {
  /** Such as `Mcp-Param-Region`. */
  readonly header: string
  /** The names that lead to the argument. */
  readonly path: readonly string[]
}

/** How many of a tool are looked at. More headers than these fit in no request. */
const mostOfTool = 500

/**
 * The arguments that a tool's definition says are mirrored: the properties of its `inputSchema`, at any depth, that have an
 * `x-mcp-header`. One elsewhere, as below `items`, makes a definition that clients must not use, and is passed over.
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
 * Which header of a call does not say what the argument does, in words; null where all agree. One that is absent says nothing,
 * but in the revisions from 2026-07-28 on, which oblige clients to send it. `mirrored` null: the tool's are not known, so that no
 * header can be compared.
 */
export function checkMirroredArguments(
  headers: IncomingHttpHeaders,
  params: JsonObject,
  mirrored: readonly MirroredArgument[] | null,
): string | null {
  if (mirrored === null) {
    const sent = Object.keys(headers).find((name) => name.startsWith('mcp-param-'))
    return sent === undefined ? null : `${sent} cannot be compared: the servers declare more than is kept`
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

/** Whether clients mirror such a value: null, an absent one, and what is no text, number or truth value they leave out. */
function isExpected(argument: JsonValue | undefined): boolean {
  return ['string', 'number', 'boolean'].includes(typeof argument)
}

function says(sent: string, argument: JsonValue | undefined): boolean {
  const text = decodeHeader(sent)
  if (text === null || !isExpected(argument)) return false
  if (typeof argument !== 'number') return text === String(argument)
  // Numbers are compared as such: 42.0 is 42.
  return /^-?\d+(?:\.\d+)?$/.test(text) && isExactNumber(text) ? Number(text) === argument : text === String(argument)
}

import { fieldName } from '@mandate/contract/checks/refusal-text'
import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import { invalid } from '../../refusal.ts'

/**
 * Maximum number of nested levels. Real bodies have about ten. The limit prevents recursive code from exhausting the stack.
 */
const maxDepth = 100
/**
 * Maximum number of arrays and objects. A policy of 1 MiB has about 40,000. The limit also covers empty arrays and objects,
 * which need the most memory per byte of the body.
 */
const maxContainers = 50_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body. Throws 400 for malformed UTF-8 or JSON, and for a number that is not exact (see `isExactNumber`). Before
 * parsing, throws 400 for more than 100 levels, or for more than 50,000 arrays and objects.
 */
export function readJson(bytes: Buffer): unknown {
  const { depth, containers, hasLongNumbers } = measure(bytes)
  if (depth > maxDepth) throw invalid(`body must be at most ${maxDepth} levels deep`)
  if (containers > maxContainers) throw invalid(`body must hold at most ${maxContainers} arrays and objects`)
  const { body, inexact } = parse(bytes, hasLongNumbers)
  if (inexact !== null)
    throw invalid(`${inexact} is a number that JSON parsers cannot represent exactly; send it as a string`)
  return body
}

/** Parses a body. `inexact` is the path of the first number that is not exact. It is null if `checksNumbers` is false. */
function parse(bytes: Buffer, checksNumbers: boolean): { body: unknown; inexact: string | null } {
  let found: { holder: unknown; key: string } | null = null
  // Node passes the text of a number as `source`. TypeScript does not declare it yet.
  function check(this: unknown, key: string, value: unknown, { source }: { source: string }): unknown {
    if (typeof value === 'number' && found === null && !isExactNumber(source)) found = { holder: this, key }
    return value
  }
  try {
    const body: unknown = JSON.parse(
      utf8.decode(bytes),
      checksNumbers ? (check as Parameters<typeof JSON.parse>[1]) : undefined,
    )
    return { body, inexact: found && fieldName(pathOf(found, body), 'body') }
  } catch {
    throw invalid('body is not well-formed JSON')
  }
}

function pathOf({ holder, key }: { holder: unknown; key: string }, body: unknown): PropertyKey[] {
  if (typeof body !== 'object' || body === null) return []
  const above = pathOfObject(holder, body) ?? []
  return [...above, Array.isArray(holder) ? Number(key) : key]
}

/** Returns the path of an object inside another one. Null if it is not there. */
function pathOfObject(wanted: unknown, from: object): PropertyKey[] | null {
  if (from === wanted) return []
  for (const [key, value] of Object.entries(from)) {
    const rest = typeof value === 'object' && value !== null ? pathOfObject(wanted, value) : null
    if (rest) return [Array.isArray(from) ? Number(key) : key, ...rest]
  }
  return null
}

const [quote, backslash] = [0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const [zero, nine, dot, capitalE, e] = [0x30, 0x39, 0x2e, 0x45, 0x65]
/** A number without an exponent is exact if it has fewer digits than 2^53. */
const exactDigits = 15

/**
 * Counts the nesting levels, and the arrays and objects, of a JSON text. `hasLongNumbers` is true if a number has an exponent or
 * at least 16 digits: only such a number may not be exact. Reads the bytes once, and stops when a limit is exceeded. Only
 * ASCII characters matter. In UTF-8, no other character contains one of their bytes.
 */
function measure(bytes: Buffer): { depth: number; containers: number; hasLongNumbers: boolean } {
  let depth = 0
  let containers = 0
  let digits = 0
  let hasLongNumbers = false
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte >= zero && byte <= nine) {
      if (++digits > exactDigits) hasLongNumbers = true
    } else if (byte !== dot) {
      if (digits > 0 && (byte === e || byte === capitalE)) hasLongNumbers = true
      digits = 0
      if (byte === quote) inString = true
      else if (byte === openBracket || byte === openBrace) {
        depth++
        containers++
        if (depth > maxDepth || containers > maxContainers) break
      } else if (byte === closeBracket || byte === closeBrace) depth--
    }
  }
  return { depth, containers, hasLongNumbers }
}

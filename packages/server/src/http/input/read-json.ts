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
 * Parses a JSON body. Throws 400 for malformed UTF-8 or JSON. Before parsing, throws 400 for more than 100 levels, or for more
 * than 50,000 arrays and objects.
 */
export function readJson(bytes: Buffer): unknown {
  const { depth, containers } = measure(bytes)
  if (depth > maxDepth) throw invalid(`body must be at most ${maxDepth} levels deep`)
  if (containers > maxContainers) throw invalid(`body must hold at most ${maxContainers} arrays and objects`)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('body is not well-formed JSON')
  }
}

const [quote, backslash] = [0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Counts the nesting levels, and the arrays and objects, of a JSON text. Reads the bytes once, and stops when either limit is
 * exceeded. Only quotes, backslashes, brackets and braces matter. In UTF-8, no other character contains one of their bytes.
 */
function measure(bytes: Buffer): { depth: number; containers: number } {
  let depth = 0
  let containers = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      depth++
      containers++
      if (depth > maxDepth || containers > maxContainers) break
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  return { depth, containers }
}

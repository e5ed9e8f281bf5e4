import { invalid } from '../refusal.ts'

/** Of arrays and objects in one another. Real bodies have some ten; no code that walks them can exhaust the stack. */
const maxDepth = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The value of a JSON body. @throws 400 for malformed UTF-8 or JSON, and for more than 100 levels before anything is parsed */
export function readJson(bytes: Buffer): unknown {
  if (isDeeper(bytes, maxDepth)) throw invalid(`body must be at most ${maxDepth} levels deep`)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('body is not well-formed JSON')
  }
}

const [quote, backslash] = [0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Looks at each byte once. All that matters is ASCII, which UTF-8 uses for nothing else. */
function isDeeper(bytes: Buffer, max: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > max) return true
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  return false
}

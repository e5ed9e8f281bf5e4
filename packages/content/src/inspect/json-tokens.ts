import { isJson } from '@mandate/contract/fields/is-json'
/** A string in a JSON text. `start` and `end` are the places of its quotes: `end` is that of the closing one. */
export interface StringToken {
  readonly start: number
  readonly end: number
  /** Whether the string has escapes, so that its value differs from its text. */
  readonly hasEscapes: boolean
}

/** Returns the strings of a valid JSON text, keys included, in their order. */
export function stringTokens(json: string): StringToken[] {
  const tokens: StringToken[] = []
  for (let start = json.indexOf('"'); start >= 0; ) {
    let end = start + 1
    let hasEscapes = false
    for (let code = json.charCodeAt(end); code !== 0x22; code = json.charCodeAt(++end)) {
      if (code === 0x5c) {
        hasEscapes = true
        end++
      }
    }
    tokens.push({ start, end, hasEscapes })
    start = json.indexOf('"', end + 1)
  }
  return tokens
}

/** Whether the text is a JSON array or object. Other values of JSON are read as plain text. */
export function isJsonText(text: string): boolean {
  return /^[ \t\r\n]*[[{]/.test(text) && isJson(text)
}

import { isJson } from '@mandate/contract/fields/is-json'
import { isNameKey, isValueKey } from './named-patterns.ts'

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

/** Returns the value of a string in a JSON text. */
export function valueOfToken(json: string, { start, end, hasEscapes }: StringToken): string {
  return hasEscapes ? JSON.parse(json.slice(start, end + 1)) : json.slice(start + 1, end)
}

/**
 * Returns the name of each string of a JSON text: the key of its field, also for the strings of a list. The name of a `value` is the text of `name` or
 * `key` in the same object. Null for keys, and for strings that have no name.
 */
export function namesOfTokens(json: string, tokens: readonly StringToken[]): (string | null)[] {
  const names: (string | null)[] = []
  let key: string | null = null
  let nameBeside: string | null = null
  /** The places in `names` of the strings with the key `value` in this object, until its `name` is found. */
  let values: number[] = []
  let openLists = 0
  let at = 0
  for (const [index, token] of tokens.entries()) {
    for (; at < token.start; at++) {
      const character = json[at]
      if (character === '[') openLists++
      else if (character === ']' && --openLists <= 0) key = null
      else if (character === '{' || character === '}') {
        key = nameBeside = null
        values = []
      }
    }
    at = token.end + 1
    const value = valueOfToken(json, token)
    if (isKey(json, token)) {
      names.push(null)
      key = value
      openLists = 0
    } else if (key !== null && isValueKey(key)) {
      names.push(nameBeside ?? key)
      values.push(index)
    } else {
      names.push(key)
      if (key !== null && isNameKey(key)) {
        nameBeside = value
        for (const place of values) names[place] = value
        values = []
      }
    }
  }
  return names
}

function isKey(json: string, { end }: StringToken): boolean {
  let at = end + 1
  while (/[ \t\r\n]/.test(json.charAt(at))) at++
  return json[at] === ':'
}

/** Whether the text is a JSON array or object. Other values of JSON are read as plain text. */
export function isJsonText(text: string): boolean {
  return /^[ \t\r\n]*[[{]/.test(text) && isJson(text)
}

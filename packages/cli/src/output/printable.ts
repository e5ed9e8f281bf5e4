/** Control characters, including line breaks, and characters that change the text direction. */
export const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Escapes untrusted text for a terminal, so that a name cannot move the cursor or hide other text. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped)
}

/** Escapes untrusted text for a terminal, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Formats a value as one line of JSON, with control characters escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (character) => `\\u${unprintableHex(character)}`)
}

/** Formats a value as indented JSON, with control characters escaped. */
export function jsonText(value: unknown): string {
  // Line breaks stay, because they are only formatting: JSON.stringify has already escaped the line breaks in strings.
  const escapeAll = (character: string) => (character === '\n' ? character : `\\u${unprintableHex(character)}`)
  return JSON.stringify(value, null, 2).replace(unprintable, escapeAll)
}

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  return character === '\t' ? '\\t' : `\\u{${hexOf(character)}}`
}

/** A character's code as at least four hex digits, for `\uXXXX`. */
export const unprintableHex = (character: string) => hexOf(character).padStart(4, '0')
const hexOf = (character: string) => character.codePointAt(0)!.toString(16)

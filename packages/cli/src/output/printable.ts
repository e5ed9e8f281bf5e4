/** What a terminal acts on instead of showing it, line breaks too, and what turns the direction of text. */
export const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Text from elsewhere, safe to show: a name cannot move the cursor or hide what follows. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped)
}

/** Lines from elsewhere, safe to show. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** One line of JSON that is safe to show, and reads as the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (character) => `\\u${unprintableHex(character)}`)
}

/** Indented JSON that is safe to show, and reads as the same value. */
export function jsonText(value: unknown): string {
  // The line breaks are the indentation's: those of strings are escaped already.
  const escapeAll = (character: string) => (character === '\n' ? character : `\\u${unprintableHex(character)}`)
  return JSON.stringify(value, null, 2).replace(unprintable, escapeAll)
}

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  return character === '\t' ? '\\t' : `\\u{${hexOf(character)}}`
}

/** The four digits of a character's escape. */
export const unprintableHex = (character: string) => hexOf(character).padStart(4, '0')
const hexOf = (character: string) => character.codePointAt(0)!.toString(16)

// What a terminal acts on instead of showing it, line breaks too, and what turns the direction of text.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Text from elsewhere, safe to show: a name cannot move the cursor or hide what follows. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped)
}

/** One line of JSON that is safe to show, and reads as the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, (character) => `\\u${hexOf(character).padStart(4, '0')}`)
}

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  return character === '\t' ? '\\t' : `\\u{${hexOf(character)}}`
}

const hexOf = (character: string) => character.codePointAt(0)!.toString(16)

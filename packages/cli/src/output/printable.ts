import { escapeHidden } from '@mandate/contract/words/escape-hidden'

type Escape = (character: string) => string

/** Escapes untrusted text for a terminal, so that a name cannot move the cursor, hide other text or look like another name. */
export function printable(text: string): string {
  return escapeHidden(text, escaped)
}

/** Escapes untrusted text for a terminal, but keeps line breaks. */
export function printableLines(text: string): string {
  return escapeLines(text, escaped)
}

/** Formats a value as one line of JSON, with hidden characters escaped. */
export function jsonLine(value: unknown): string {
  return escapeHidden(JSON.stringify(value), jsonEscaped)
}

/** Formats a value as indented JSON, with hidden characters escaped. */
export function jsonText(value: unknown): string {
  // Line breaks are only formatting: JSON.stringify has already escaped the line breaks in strings.
  return escapeLines(JSON.stringify(value, null, 2), jsonEscaped)
}

/** Escapes every hidden character except line breaks. */
export function escapeLines(text: string, escapeOne: Escape): string {
  return text
    .split('\n')
    .map((line) => escapeHidden(line, escapeOne))
    .join('\n')
}

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  return character === '\t' ? '\\t' : `\\u{${character.codePointAt(0)!.toString(16)}}`
}

/** JSON escapes the two halves of a character beyond U+FFFF. */
const jsonEscaped = (character: string) =>
  character
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

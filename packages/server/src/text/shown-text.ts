import { escapeHidden, furtherMarks } from '@mandate/contract/words/escape-hidden'

/**
 * Prepares text that others wrote for display. Hidden characters, and more than eight marks on one letter, are replaced by their codes. Line feeds
 * are kept.
 */
export function shownText(text: string): string {
  const coded = escapeHidden(text, (character) => (character === '\n' ? character : codeOf(character)))
  return coded.replaceAll(furtherMarks, (marks) => Array.from(marks, codeOf).join(''))
}

const codeOf = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Like `shownText`, on one line and cut to `length` characters. */
export function shownLine(text: string, length = 200): string {
  const characters = [...shownText(text.replaceAll(/\s+/g, ' ').trim())]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}

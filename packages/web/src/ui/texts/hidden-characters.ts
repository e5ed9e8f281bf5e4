import { hiddenCharacter as hidden, mostMarks } from '@mandate/contract/words/hidden-characters'

/** A part of a text that others wrote: text to show as it is, or a chip for characters that nobody would see. */
export type ShownPart = { text: string } | { chip: string; why: string; count: number }

/** Names of the hidden characters that are used most to deceive. */
const named: Readonly<Record<number, string>> = {
  9: 'tab',
  13: 'carriage return',
  27: 'escape',
  160: 'no-break space',
  173: 'soft hyphen',
  8203: 'zero width space',
  8204: 'zero width non-joiner',
  8205: 'zero width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'end of direction',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'end of isolate',
  65279: 'byte order mark',
}

const tag = /[\u{e0000}-\u{e007f}]/u
const mark = /\p{M}/u
const manyMarks = new RegExp(`\\p{M}{${mostMarks + 1}}`, 'u')

/** Splits a text so that each hidden character can be shown as a chip with its code. Line feeds stay text. */
export function shownParts(text: string): ShownPart[] {
  const parts: ShownPart[] = []
  let marks = 0
  for (const character of text) {
    marks = mark.test(character) && !hidden.test(character) ? marks + 1 : 0
    if (character !== '\n' && hidden.test(character)) addChip(parts, character)
    else if (marks > mostMarks) addCounted(parts, 'marks', 'combining marks over one letter')
    else addText(parts, character)
  }
  return parts
}

/** The text with the code of each hidden character in brackets, for places that can show no chip, such as the options of a `<select>`. */
export const visibleText = (text: string) =>
  hasHidden(text)
    ? shownParts(text)
        .map((part) => ('text' in part ? part.text : `[${part.chip}]`))
        .join('')
    : text

/**
 * What a person types to repeat a name: its text without hidden characters, with single spaces. If nothing else is in the name, these are the codes
 * of its hidden characters in brackets.
 */
export function typedText(name: string): string {
  const parts = shownParts(name.replaceAll('\u00a0', ' ')).map((part) => ('text' in part ? part.text : ''))
  return parts.join('').replaceAll(/\s+/g, ' ').trim() || visibleText(name)
}

/** The number of hidden characters in a text. */
export const hiddenIn = (text: string) =>
  shownParts(text).reduce((sum, part) => sum + ('chip' in part ? part.count : 0), 0)

/** True if a text has a hidden character. No-break spaces do not count, because texts of the dashboard have them. Faster than `shownParts`. */
export const hasHidden = (text: string) => hidden.test(text.replaceAll('\u00a0', ' ')) || manyMarks.test(text)

const mostLines = 12
const mostCharacters = 900

/** The start of a text: at most 12 lines and 900 UTF-16 code units. A character is not cut in two. */
export function startOf(text: string): string {
  const lines = text.split('\n', mostLines).join('\n')
  if (lines.length <= mostCharacters) return lines
  const isPair = (lines.codePointAt(mostCharacters - 1) ?? 0) > 0xffff
  return lines.slice(0, isPair ? mostCharacters - 1 : mostCharacters)
}

function addText(parts: ShownPart[], character: string): void {
  const last = parts.at(-1)
  if (last && 'text' in last) last.text += character
  else parts.push({ text: character })
}

function addChip(parts: ShownPart[], character: string): void {
  if (tag.test(character)) {
    addCounted(parts, 'tag', 'tag characters, a hidden text')
    return
  }
  const code = character.codePointAt(0) as number
  const chip = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  parts.push({ chip, why: named[code] ?? 'hidden character', count: 1 })
}

/** Adds one chip for a row of such characters. */
function addCounted(parts: ShownPart[], kind: 'tag' | 'marks', why: string): void {
  const last = parts.at(-1)
  const isSame = last && 'chip' in last && last.why === why
  const count = isSame ? last.count + 1 : 1
  const chip = kind === 'tag' ? `tag ${count} ${count === 1 ? 'character' : 'characters'}` : `${count} more marks`
  if (isSame) parts[parts.length - 1] = { chip, why, count }
  else parts.push({ chip, why, count })
}

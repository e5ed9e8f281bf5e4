/** Characters that readers do not see: zero width, bidirectional controls, tags, and runs of variation selectors. */
const hidden =
  /[\u{E0000}-\u{E007F}]|[\u200B\u2060-\u2064\uFEFF\u180E\u00AD\u115F\u1160\u3164\uFFA0]|\u034F|[\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]|[\u200C\u200D]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}/gu
const joiners = new Set(['\u200C', '\u200D'])
const isAscii = (character: string | undefined) => character === undefined || character.codePointAt(0)! < 0x80
/** The flags of England, Scotland and Wales are a black flag with tag characters. */
const flags = /\u{1F3F4}[\u{E0020}-\u{E007F}]{2,7}/gu

/**
 * Returns the first hidden character of a text, or null. Joiners between letters of scripts that need them, and in emoji, are no hidden
 * characters.
 */
export function findHiddenCharacter(text: string): string | null {
  if (isPlain(text)) return null
  const searched = text.replace(flags, '\u{1F3F4}')
  for (const match of searched.matchAll(hidden)) {
    const [found] = match
    if (joiners.has(found) && isJoining(searched, match.index)) continue
    return nameOf(found)
  }
  return null
}

// Almost all texts are ASCII.
const isPlain = (text: string) => /^[\n\r\t\x20-\x7E]*$/.test(text)

function isJoining(text: string, at: number): boolean {
  const before = at > 0 ? text[at - 1] : undefined
  return !isAscii(before) && !isAscii(text[at + 1])
}

function nameOf(found: string): string {
  const code = found.codePointAt(0) as number
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

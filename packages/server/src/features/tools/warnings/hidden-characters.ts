/** Characters that readers do not see, such as controls, zero width and bidirectional characters, tags, fillers and variation selectors. */
const hidden = /(?![\t\n\r])\p{Cc}|[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/gu
const joiners = new Set(['\u200C', '\u200D'])
const variationSelector = /\p{Variation_Selector}/u
/** What a variation selector may follow, because it has several forms: emoji, symbols, and letters of a few scripts. */
const varying = /[\p{Emoji}\p{S}\p{Script=Han}\p{Script=Mongolian}\p{Script=Phags_Pa}\p{Script=Myanmar}]$/u
const isAscii = (character: string | undefined) => character === undefined || character.codePointAt(0)! < 0x80
/** The flags of England, Scotland and Wales are a black flag with tag characters. */
const flags = /\u{1F3F4}[\u{E0020}-\u{E007F}]{2,7}/gu

/**
 * Returns the first hidden character of a text, or null. Joiners between letters of scripts that need them, and joiners and variation selectors in
 * emoji, are no hidden characters.
 */
export function findHiddenCharacter(text: string): string | null {
  if (isPlain(text)) return null
  const searched = text.replace(flags, '\u{1F3F4}')
  for (const match of searched.matchAll(hidden)) {
    const [found] = match
    if (joiners.has(found) && isJoining(searched, match.index)) continue
    if (variationSelector.test(found) && varying.test(searched.slice(Math.max(0, match.index - 2), match.index)))
      continue
    return nameOf(found)
  }
  return null
}

/**
 * Returns the readings of a text that are searched. Hidden characters are left out, because they would split words, or they are spaces, because
 * they may separate words. Letters and spaces that look the same have one form.
 */
export function readingsOf(text: string): readonly string[] {
  if (isPlain(text)) return [text]
  return [...new Set(['', ' '].map((instead) => text.replace(hidden, instead).normalize('NFKC')))]
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

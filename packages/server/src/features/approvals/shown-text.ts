/**
 * What an agent or an edge wrote, for a person who decides by it: characters that do not show, or that turn the order of
 * others around, stand as their code. Line feeds stay.
 */
export function shownText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** The same on one line of at most `length` characters. */
export function shownLine(text: string, length = 200): string {
  const characters = [...shownText(text.replaceAll(/\s+/g, ' ').trim())]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}

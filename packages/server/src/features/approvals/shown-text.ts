/**
 * Prepares text from an agent or an edge for display to the person who resolves the approval. Invisible characters, and
 * characters that change the direction of text, are replaced by their codes. Line feeds are kept.
 */
export function shownText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** Like `shownText`, on one line and cut to `length` characters. */
export function shownLine(text: string, length = 200): string {
  const characters = [...shownText(text.replaceAll(/\s+/g, ' ').trim())]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}

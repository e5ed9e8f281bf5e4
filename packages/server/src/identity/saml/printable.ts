import { cutText } from '../../text/cut-text.ts'

const charactersMax = 200
const namesMax = 20

/** Makes a text from a SAML response fit for the log: no invisible or control characters, and at most 200 characters. */
export const printable = (text: string) => cutText(text.replaceAll(/\p{C}+/gu, '?'), charactersMax)

/** Joins at most 20 different texts from a SAML response for the log. */
export function printableList(texts: readonly string[]): string {
  const different = [...new Set(texts)]
  const more = different.length > namesMax ? [`${different.length - namesMax} more`] : []
  return [...different.slice(0, namesMax).map(printable), ...more].join(', ')
}

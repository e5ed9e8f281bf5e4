const codes = /(?:%[0-9a-f]{2})+/gi
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Decodes the percent codes of a text as programs do that accept broken ones: a `%` without two hexadecimal digits stays, and bytes that are not
 * UTF-8 become U+FFFD. So a broken code does not keep the others from being decoded.
 */
export const decodePercentCodes = (text: string): string => text.replace(codes, (run) => utf8.decode(bytesOf(run)))

const bytesOf = (run: string) => Uint8Array.from(run.slice(1).split('%'), (code) => Number.parseInt(code, 16))

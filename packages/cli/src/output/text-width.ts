import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const printableAscii = /^[ -~]*$/

/**
 * Returns how many columns of a terminal a text takes. The package `string-width` is loaded only for texts outside ASCII, because loading it
 * takes longer than the rest of a short command.
 */
export function textWidth(text: string): number {
  if (printableAscii.test(text)) return text.length
  const { default: stringWidth } = require('string-width') as typeof import('string-width')
  return stringWidth(text)
}

import { isLonger } from '@mandate/contract/fields/text-length'
import { invalid } from '../../../refusal.ts'

/** Characters that are removed: control characters that are not white space, bidirectional formatting, and U+FEFF. */
const dropped = /(?!\p{White_Space})\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const whiteSpace = /\p{White_Space}+/gu

export const displayNameMax = 200

/**
 * Cleans a display name. Removes control characters and invisible direction characters. Replaces each run of white space by one
 * space. Removes white space at the start and at the end. The result may be empty. The length is not checked: use
 * `readDisplayName`.
 */
export function cleanDisplayName(text: string): string {
  return text.replaceAll(dropped, '').replaceAll(whiteSpace, ' ').trim()
}

/** Returns the cleaned name. @throws 400 if it has more than 200 code points */
export function readDisplayName(text: string): string {
  const cleaned = cleanDisplayName(text)
  if (isLonger(cleaned, displayNameMax)) {
    throw invalid(`display_name must be at most ${displayNameMax} characters`)
  }
  return cleaned
}

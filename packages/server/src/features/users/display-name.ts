import { characters } from '@mandate/contract/fields'
import { invalid } from '../../refusal.ts'

/** Characters that are dropped: controls that are no white space, bidirectional formatting, and U+FEFF. */
const dropped = /(?!\p{White_Space})\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const whiteSpace = /\p{White_Space}+/gu

export const displayNameMax = 200

/**
 * A display name as it is stored: dropped characters first, then each run of white space one space, then trimmed. Empty
 * when nothing is left. Never cut: the caller asks `readDisplayName` where the length matters.
 */
export function cleanDisplayName(text: string): string {
  return text.replaceAll(dropped, '').replaceAll(whiteSpace, ' ').trim()
}

/** The cleaned name. 400 when more than 200 code points remain. */
export function readDisplayName(text: string): string {
  const cleaned = cleanDisplayName(text)
  if (characters(cleaned) > displayNameMax) {
    throw invalid(`display_name must be at most ${displayNameMax} characters`)
  }
  return cleaned
}

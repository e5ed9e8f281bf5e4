import { hiddenCharacter, mostMarks } from './hidden-characters.ts'

/** Many emoji are several characters, joined by hidden ones. Slower than `hiddenCharacter`. */
const emojiOrHidden = new RegExp(`\\p{RGI_Emoji}|${hiddenCharacter.source}`, 'gv')
/** The marks of a letter after the first eight. */
export const furtherMarks = new RegExp(`(?<=\\p{M}{${mostMarks}})\\p{M}+`, 'gu')
const usual = /^[ -~]*$/

/** Replaces each hidden character of a text by what `escapeOne` returns. Emoji stay whole. */
export function escapeHidden(text: string, escapeOne: (character: string) => string): string {
  if (usual.test(text) || !hiddenCharacter.test(text)) return text
  // The first character of an emoji is never hidden.
  const isHidden = (found: string) => hiddenCharacter.test(String.fromCodePoint(found.codePointAt(0)!))
  return text.replace(emojiOrHidden, (found) => (isHidden(found) ? escapeOne(found) : found))
}

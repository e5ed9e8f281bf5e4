import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

// The 49,000 passwords of `@zxcvbn-ts/language-common` 4.1.3 with at least four characters, in lower case, one per line. Licence:
// common-passwords.LICENSE.
const file = new URL('common-passwords.txt.br', import.meta.url)

let loaded: ReadonlySet<string> | undefined

function commonPasswords(): ReadonlySet<string> {
  loaded ??= new Set(brotliDecompressSync(readFileSync(file)).toString().split('\n'))
  return loaded
}

/**
 * A password that contains a common password and at most this many other characters, such as `password2026!`, counts as common
 * too.
 */
const maxAffix = 6
const looksLike: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

/** Keys of other keyboards and the same keys of an English one. */
const otherKeyboards = [
  ['йцукенгшщзхъфывапролджэячсмитьбю', "qwertyuiop[]asdfghjkl;'zxcvbnm,."],
  ['ςερτυθιοπασδφγηξκλζχψωβνμ', 'wertyuiopasdfghjklzxcvbnm'],
  ['קראטוןםפשדגכעיחלךףזסבהנמצתץ', 'ertyuiopasdfghjkl;zxcvbnm,.'],
] as const
const englishKeys = new Map(
  otherKeyboards.flatMap(([keys, english]) => [...keys].map((key, at) => [key, english[at] as string])),
)

/** The text that the same keys of an English keyboard write, in lower case. Attackers know passwords such as `пароль` in this form. */
export function onEnglishKeyboard(text: string): string {
  return [...text.toLowerCase()].map((character) => englishKeys.get(character) ?? character).join('')
}

/**
 * True for a common password. Case does not matter. The password may have digits and symbols around it, have digits in place of
 * letters, be repeated, have accents, or be typed on a keyboard of another script. Also true for a sequence of up to four
 * characters that is repeated.
 */
export function isCommonPassword(password: string): boolean {
  const whole = password.toLowerCase()
  const unit = repeatedIn(whole)
  if (unit !== undefined && [...unit].length <= 4) return true
  const unitOfWords = repeatedIn(whole.replaceAll(/[^\p{L}\p{N}]+/gu, ''))
  const forms = [
    unit ?? unitOfWords ?? whole,
    onEnglishKeyboard(whole),
    whole.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  ]
  return forms.flatMap(spellings).some((spelling) => commonPasswords().has(spelling))
}

const repeatedIn = (text: string) => /^(.{1,32}?)\1+$/su.exec(text)?.[1]

/** Replaces digits and signs by the letters that they look like. */
export function withLetters(text: string): string {
  return text.replaceAll(/[013457@$]/g, (sign) => looksLike[sign] ?? sign)
}

function spellings(password: string): string[] {
  const letters = withLetters(password)
  return [password, letters, stemOf(password), stemOf(password.replace(/[\d\W_]+$/u, '')), stemOf(letters)].filter(
    (spelling) => spelling.length >= 4 && password.length - spelling.length <= maxAffix,
  )
}

/** Removes digits and signs at both ends. */
function stemOf(password: string): string {
  return password.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
}

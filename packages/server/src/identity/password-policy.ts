import { isCommonPassword, withLetters } from './common-passwords.ts'
import { IdentityFailure } from './failure.ts'
import { isEasyToGuess } from './password-strength.ts'

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 256

/** Normalizes the Unicode form of a password, because keyboards encode accents in different ways. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/**
 * Checks a new password and returns it normalized. Refuses these passwords:
 * - fewer than 10 or more than 256 characters (code points)
 * - broken Unicode
 * - the email address itself
 * - common passwords
 * - passwords that consist mostly of the address, the product's name or one of `words` (the names of the organization and the
 *   person)
 * - passwords that are easy to guess, such as sequences, keyboard walks, repeats and dates
 *
 * Throws IdentityFailure `weak_password` with a message that may be shown.
 */
export function checkPassword(password: string, email: string, words: readonly string[] = []): string {
  const normalized = normalizePassword(password)
  const length = [...normalized].length
  if (!normalized.isWellFormed()) throw weak('The password holds broken characters.')
  if (length < PASSWORD_MIN) throw weak(`The password must have at least ${PASSWORD_MIN} characters.`)
  if (length > PASSWORD_MAX) throw weak(`The password must have at most ${PASSWORD_MAX} characters.`)
  if (normalized.trim().toLowerCase() === email.trim().toLowerCase()) {
    throw weak('The password must not be the email address.')
  }
  // Full-width letters and digits are as easy to guess as their usual forms.
  const usual = normalized.normalize('NFKC')
  if (isCommonPassword(usual)) throw weak('The password is one of the most common ones. Choose another one.')
  if (isMadeOf(usual, ['mandate', email, ...words])) {
    throw weak('The password must not consist of your name, your address, your organization or the product.')
  }
  if (isEasyToGuess(usual)) {
    throw weak(
      'The password is easy to guess: it is mostly a sequence, a pattern on the keyboard, a repeat, a date or a common password. Add words that do not belong together.',
    )
  }
  return normalized
}

const weak = (message: string) => new IdentityFailure('weak_password', message)

/**
 * The check ignores words in the password that an attacker would try first, such as the person's name. At least this many other
 * letters and digits must remain.
 */
const minRest = 8

function isMadeOf(password: string, texts: readonly string[]): boolean {
  const plain = (text: string) => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')
  const compact = (text: string) => plain(text).replaceAll(/[^\p{L}\p{N}]+/gu, '')
  const words = texts.flatMap((text) => [compact(text), ...plain(text).split(/[^\p{L}\p{N}]+/u)])
  const byLength = [...new Set(words.flatMap((word) => [word, [...word].reverse().join('')]))]
    .filter((word) => word.length >= 4)
    .sort((one, other) => other.length - one.length)
  return [compact(password), compact(withLetters(password))].some((whole) => {
    const rest = byLength.reduce((left, word) => left.replaceAll(word, ' '), whole)
    return rest !== whole && rest.replaceAll(' ', '').length < minRest
  })
}

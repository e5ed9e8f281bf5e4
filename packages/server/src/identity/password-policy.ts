import { IdentityFailure } from './failure.ts'

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 256

/** One spelling per password, so that it matches however a keyboard composes its accents. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/**
 * Refuses what the policy refuses: fewer than 10 or more than 256 characters (code points), broken Unicode, the address itself.
 * Length is what guards a password; composition rules are left out on purpose.
 * @returns the normalized password
 * @throws IdentityFailure `weak_password`, its message fit to show
 */
export function checkPassword(password: string, email: string): string {
  const normalized = normalizePassword(password)
  const length = [...normalized].length
  if (!normalized.isWellFormed()) throw new IdentityFailure('weak_password', 'The password holds broken characters.')
  if (length < PASSWORD_MIN) {
    throw new IdentityFailure('weak_password', `The password must have at least ${PASSWORD_MIN} characters.`)
  }
  if (length > PASSWORD_MAX) {
    throw new IdentityFailure('weak_password', `The password must have at most ${PASSWORD_MAX} characters.`)
  }
  if (normalized.trim().toLowerCase() === email.trim().toLowerCase()) {
    throw new IdentityFailure('weak_password', 'The password must not be the email address.')
  }
  return normalized
}

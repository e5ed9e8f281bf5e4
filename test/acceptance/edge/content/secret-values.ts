import { createHash, randomBytes } from 'node:crypto'

/** A number of a payment card with the right check digit. */
export function newCard(): string {
  const digits = [4, ...Array.from(randomBytes(14), (byte) => byte % 10)]
  const sum = digits.reduce((all, digit, at) => all + (at % 2 === 1 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0)
  return [...digits, (10 - (sum % 10)) % 10].join('')
}

const base32 = (length: number) =>
  Array.from(randomBytes(length), (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32])

/** An AWS access key id, in parts, so that no tool takes the source of the test for a leak. */
export const newAccessKeyId = () => ['AKIA', ...base32(16)].join('')

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** The forms in which a value could be kept: as it is, encoded, and as a digest without a key, which can be guessed. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [value, encodeURIComponent(value), base64, bytes.toString('hex'), digestOf(value)]
}

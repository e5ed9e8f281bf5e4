import { describe, expect, it } from 'vitest'
import { checkPassword, PASSWORD_MAX, PASSWORD_MIN } from './password-policy.ts'

const email = 'Ada@Example.com'

describe('the password policy', () => {
  it.each([
    ['as many characters as the least', 'a'.repeat(PASSWORD_MIN)],
    ['as many characters as the most', 'a'.repeat(PASSWORD_MAX)],
    ['characters beyond the basic plane, each counted once', '🔑'.repeat(PASSWORD_MAX)],
    ['white space inside', 'four words are enough'],
  ])('takes %s', (_, password) => {
    expect(checkPassword(password, email)).toBe(password)
  })

  it.each([
    ['one character too few', 'a'.repeat(PASSWORD_MIN - 1), /at least 10/],
    ['few characters of two units each', '🔑'.repeat(PASSWORD_MIN - 1), /at least 10/],
    ['one character too many', 'a'.repeat(PASSWORD_MAX + 1), /at most 256/],
    ['the address, whatever its case', ' aDA@example.com', /email address/],
    ['a lone surrogate', `password-\ud800-`, /broken characters/],
  ])('refuses %s', (_, password, message) => {
    expect(() => checkPassword(password, email)).toThrow(
      expect.objectContaining({ kind: 'weak_password', message: expect.stringMatching(message) }),
    )
  })

  it('brings composed and decomposed accents to one spelling', () => {
    expect(checkPassword('two cafe\u0301s, cafe\u0301s', email)).toBe('two caf\u00e9s, caf\u00e9s')
  })
})

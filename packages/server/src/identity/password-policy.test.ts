import { describe, expect, it } from 'vitest'
import { checkPassword, PASSWORD_MAX, PASSWORD_MIN } from './password-policy.ts'

const email = 'Ada@Example.com'
const spread = (from: number, count: number, of: number) =>
  Array.from({ length: count }, (_, n) => String.fromCodePoint(from + ((n * n * 37 + n * 101) % of))).join('')
/** Returns letters that are no sequence, or characters that each take two UTF-16 units. */
const letters = (count: number) => spread(0x4e00, count, 7919)
const pictures = (count: number) => spread(0x1f400, count, 241)

describe('the password policy', () => {
  it.each([
    ['as many characters as the least', letters(PASSWORD_MIN)],
    ['as many characters as the most', letters(PASSWORD_MAX)],
    ['characters beyond the basic plane, each counted once', pictures(PASSWORD_MAX)],
    ['white space inside', 'four words are enough'],
  ])('accepts %s', (_, password) => {
    expect(checkPassword(password, email)).toBe(password)
  })

  it.each([
    ['one character too few', letters(PASSWORD_MIN - 1), /at least 10/],
    ['few characters of two units each', pictures(PASSWORD_MIN - 1), /at least 10/],
    ['one character too many', letters(PASSWORD_MAX + 1), /at most 256/],
    ['the address, whatever its case', ' aDA@example.com', /email address/],
    ['a lone surrogate', `password-\ud800-`, /broken characters/],
  ])('refuses %s', (_, password, message) => {
    expect(() => checkPassword(password, email)).toThrow(
      expect.objectContaining({ kind: 'weak_password', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    '1234567890',
    'qwertyuiop',
    'QwertyUIOP',
    'Password123!',
    'P4ssw0rd2026',
    'passwordpassword',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'summer summer',
    'пароль2026',
    'contraseña1',
  ])('refuses the common password %s', (password) => {
    expect(() => checkPassword(password, email)).toThrow(
      expect.objectContaining({ kind: 'weak_password', message: expect.stringMatching(/most common/) }),
    )
  })

  it.each([
    'mandate2026!',
    'Analytical Engines',
    'analyticalengines1',
    'ada lovelace 1815',
    'example.com-ada',
    '4n4lytic4l 3ng1nes',
    'Ana lýtical-Éngines',
    'ecalevol2026',
  ])(
    'refuses %s, which consists of the name of the product, the organization or the person, or of the address',
    (password) => {
      const words = ['Analytical Engines', 'Ada Lovelace']
      expect(() => checkPassword(password, email, words)).toThrow(
        expect.objectContaining({ kind: 'weak_password', message: expect.stringMatching(/must not consist of/) }),
      )
    },
  )

  it('refuses a sequence that is no common password, and says why', () => {
    expect(() => checkPassword('lkjhgfdsapoi', email)).toThrow(
      expect.objectContaining({ kind: 'weak_password', message: expect.stringMatching(/easy to guess/) }),
    )
  })

  it('refuses in full-width letters what it refuses in usual ones', () => {
    const wide = (text: string) =>
      text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0))
    for (const password of ['qwertyuiop', 'mandate2026!', '0987654321', 'lkjhgfdsapoi', 'analyticalengines1'])
      expect(() => checkPassword(wide(password), email, ['Analytical Engines']), password).toThrow(
        expect.objectContaining({ kind: 'weak_password' }),
      )
  })

  it('accepts a pass phrase that contains the organization’s name and enough other text', () => {
    const password = 'the engines of 1843 turned'
    expect(checkPassword(password, email, ['Analytical Engines'])).toBe(password)
  })

  it('normalizes composed and decomposed accents to one form', () => {
    expect(checkPassword('two cafe\u0301s, cafe\u0301s', email)).toBe('two caf\u00e9s, caf\u00e9s')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEasyToGuess } from './password-strength.ts'

const reversed = (text: string) => [...text].reverse().join('')
const eitherWay = (...texts: string[]) => fc.constantFrom(...texts, ...texts.map(reversed))
const joined = (part: fc.Arbitrary<string>, minLength: number) =>
  fc.array(part, { minLength, maxLength: 12 }).map((parts) => parts.join(''))
/** Estimates take milliseconds each. */
const some = { numRuns: 20 }

const rows = eitherWay(
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1234567890',
  'azertyuiop',
  'qwertzuiop',
  'yxcvbnm',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ςερτυθιοπ',
  'שדגכעיחלך',
)
const columns = eitherWay('1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm')

describe('isEasyToGuess', () => {
  it.each([
    [
      'sequences of letters or digits, forwards or backwards, from any place',
      fc
        .tuple(
          eitherWay('abcdefghijklmnopqrstuvwxyz', '0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'абвгдежзийклмноп'),
          fc.nat(9),
          fc.integer({ min: 10, max: 200 }),
        )
        .map(([text, from, length]) => text.repeat(25).slice(from, from + length)),
    ],
    ['rows of a keyboard, of any number', joined(rows, 2)],
    ['columns of a keyboard, of any number', joined(columns, 3)],
    [
      'repeats of a few characters',
      fc
        .tuple(fc.stringMatching(/^[a-z0-9]{1,4}$/), fc.integer({ min: 10, max: 256 }))
        .map(([unit, length]) => unit.repeat(256).slice(0, length)),
    ],
    ['repeats whose last one is cut', fc.constant('11b11b11b11b11b11')],
  ])('is true for %s', (_, weak) => {
    fc.assert(fc.property(weak, isEasyToGuess), some)
  })

  it.each([
    '0987654321',
    '0987654321!',
    'x0987654321',
    '!@#$%^&*()',
    'qpwoeiruty',
    '1999-12-31',
    'Pa$$w0rd12345',
    'yxcvbnmasd',
    '4rfvbgt5bgt5xsw2',
    'bgt57ujmmju7mju7mju73edc1qaz',
  ])('is true for %s', (password) => expect(isEasyToGuess(password)).toBe(true))

  it.each([
    'correct horse battery staple',
    'a long pass phrase',
    'fj39dk2l0s',
    'Kx8!mQ2z#p',
    '695236832227',
    'another password',
    'domINguePEnguIn',
    'three grey herons walk',
    'vier graue Reiher gehen',
    'четыре серые цапли',
    '四羽の灰色の鷺が歩く',
    `${'qwertyuiop'.repeat(20)} three grey herons walk over the frozen lake, two by two`,
  ])('is false for %s', (password) => expect(isEasyToGuess(password)).toBe(false))
})

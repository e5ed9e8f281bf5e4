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

const otherRows = eitherWay(
  'ضصثقفغعهخحجد',
  'شسيبلاتنمكط',
  'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ',
  'ქწერტყუიოპ',
  'たていすかんなにらせ',
  'bépoèvdljzw',
  'auiectsrnm',
)
const order = fc.oneof(rows, otherRows, eitherWay('abcdefghijkl', '0123456789', 'абвгдежзийк', 'acegikmoqs'))

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
    ['a row of a keyboard that the estimator does not know', otherRows],
    ['columns of a keyboard, of any number', joined(columns, 3)],
    [
      'repeats of a few characters',
      fc
        .tuple(fc.stringMatching(/^[a-z0-9]{1,4}$/), fc.integer({ min: 10, max: 256 }))
        .map(([unit, length]) => unit.repeat(256).slice(0, length)),
    ],
    [
      'sequences and rows with a separator after each few characters',
      fc
        .tuple(order, fc.constantFrom(' ', '-', '.', '_', '/', ', '), fc.integer({ min: 1, max: 4 }))
        .map(([text, separator, size]) => text.match(new RegExp(`.{1,${size}}`, 'gu'))!.join(separator)),
    ],
    [
      'sequences and rows with each character doubled, in any case',
      fc
        .tuple(order, fc.boolean())
        .map(([text, isMixed]) => [...text].map((one) => one + (isMixed ? one.toUpperCase() : one)).join('')),
    ],
    [
      'two sequences or rows in turns',
      fc
        .tuple(order, order)
        .map((both) => both.map((one) => [...one]))
        .map(([one = [], other = []]) =>
          one
            .slice(0, other.length)
            .flatMap((first, at) => [first, other[at]])
            .join(''),
        ),
    ],
    [
      'numbers in equal steps',
      fc
        .tuple(fc.nat(99), fc.integer({ min: 1, max: 25 }), fc.constantFrom('', ' ', '-'))
        .map(([first, step, separator]) => Array.from({ length: 12 }, (_, at) => first + at * step).join(separator)),
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
    '9 8 7 6 5 4 3 2 1 0',
    '1-2-3-4-5-6-7-8-9-0',
    'q w e r t y u i o p',
    'a.b.c.d.e.f.g',
    '12-34-56-78-90',
    'abc-def-ghi',
    'aabbccddeeff',
    'zzyyxxwwvvuu',
    'aAbBcCdDeEfF',
    'qQwWeErRtTyY',
    '0p9o8i7u6y5t',
    'q1a2z3w4s5x6',
    '1!2@3#4$5%6^',
    '가나다라마바사아자차카',
    '一二三四五六七八九十',
    'アイウエオカキクケコ',
    '2468101214161820',
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
    'mango-violet-tractor',
    'h4-Ux-92-kd-Wv',
    'Kx8 mQ2 zp7 Lw4',
    '나무 아래 고양이 세 마리',
  ])('is false for %s', (password) => expect(isEasyToGuess(password)).toBe(false))

  it('is false for random letters and digits', () => {
    const password = fc
      .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), {
        minLength: 12,
        maxLength: 12,
      })
      .map((characters) => characters.join(''))
    // One in 100,000 is a walk by chance.
    fc.assert(
      fc.property(password, (text) => !isEasyToGuess(text)),
      { numRuns: 40, seed: 1 },
    )
  })
})

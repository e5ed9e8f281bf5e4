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
    [
      'words and numbers of a known sequence, forwards or backwards, from any term, with or without separators',
      fc
        .tuple(
          fc.constantFrom(
            'zero one two three four five six seven eight nine ten eleven twelve',
            'Eins Zwei Drei Vier Fünf Sechs Sieben Acht Neun Zehn Elf',
            'один два три четыре пять шесть семь восемь девять',
            'I II III IV V VI VII VIII IX X XI XII XIII XIV XV',
            '1 4 9 16 25 36 49 64 81 100 121 144 169',
            '2 3 5 7 11 13 17 19 23 29 31 37 41 43 47',
            '1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192',
            '1 1 2 3 5 8 13 21 34 55 89 144 233 377',
            '1 8 27 64 125 216 343 512 729',
            '1 3 6 10 15 21 28 36 45 55 66 78',
          ),
          fc.nat(3),
          fc.constantFrom('', ' ', '-', ', ', '.'),
          fc.constantFrom('forwards', 'backwards', 'mirrored'),
        )
        .map(([list, from, separator, way]) => {
          const terms = list.split(' ').slice(from)
          if (way === 'backwards') terms.reverse()
          return way === 'mirrored' ? reversed(terms.join(separator)) : terms.join(separator)
        }),
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
    'onetwothreefour',
    'OneTwoThreeFour!',
    '0n3tw0thr33f0ur',
    'fourthreetwoone',
    'einszweidreivier',
    'undeuxtroisquatre',
    'iiiiiiivvvivii',
    '149162536496481',
    '2357111317192329',
    '1248163264128256',
    '11235813213455',
    'onetwothree2357111317',
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
    'one red kite and two herons',
    'seventeen grey herons',
    'onetwothree#K8!q$z%w^2',
    '14916-kite-heron',
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

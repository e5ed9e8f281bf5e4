import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressKey, domainKey } from './address-key.ts'
import { email } from './fields.ts'

const domains: [written: string, punycode: string][] = [
  ['münchen.example', 'xn--mnchen-3ya.example'],
  ['उदाहरण.भारत', 'xn--p1b6ci4b4b3a.xn--h2brj9c'],
  ['ตัวอย่าง.ไทย', 'xn--72c1a1bt4awk9o.xn--o3cw4h'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['مثال.إختبار', 'xn--mgbh0fb.xn--kgbechtv'],
  ['café.Example', 'xn--caf-dma.example'],
  ['Example.com', 'example.com'],
  ['paral·lel.cat', 'xn--parallel-koa.cat'],
  ['ドメイン・テスト.jp', 'xn--eckzbwbjb8l5esc.jp'],
  ['צה״ל.co.il', 'xn--8dbq2a9c.co.il'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['例え．テスト', 'xn--r8jz45g.xn--zckzah'],
]
const spelling = fc.tuple(
  fc.constantFrom<(text: string) => string>(
    (t) => t.normalize('NFC'),
    (t) => t.normalize('NFD'),
  ),
  fc.boolean(),
)
const local = fc.stringMatching(/^[a-zåéüñ.+-]{1,20}$/u)
/** Writes letters, digits and signs as an East Asian keyboard does. */
const wide = (text: string) =>
  text.replaceAll(/[!-~]/g, (sign) => (sign === '@' ? sign : String.fromCodePoint(sign.charCodeAt(0) + 0xfee0)))

test('every spelling of an address is accepted, kept as written, and has one key', () => {
  fc.assert(
    fc.property(
      local,
      fc.constantFrom(...domains),
      spelling,
      fc.boolean(),
      (name, [written, punycode], [form, upper], ascii) => {
        const spelled = form(`${name}@${ascii ? punycode : written}`)
        const given = upper ? spelled.toUpperCase() : spelled
        expect(email.parse(` ${given} `)).toBe(given)
        expect(addressKey(given)).toBe(`${name}@${punycode}`)
      },
    ),
  )
})

test('full-width letters and a last σ are other spellings of the same local part', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9._+-]{1,20}$/), fc.boolean(), (name, upper) => {
      const spelled = wide(upper ? name.toUpperCase() : name)
      expect(email.safeParse(`${spelled}@example.com`).success).toBe(true)
      expect(addressKey(`${spelled}@${wide('example')}.com`)).toBe(`${name}@example.com`)
    }),
  )
  expect(addressKey('ΟΔΟΣ@example.com')).toBe(addressKey('οδος@example.com'))
  expect(addressKey('οδος.x@example.com'.toUpperCase())).toBe(addressKey('οδος.x@example.com'))
})

test('joiners do not change the key of a local part, and the domain keeps them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('é', 'ж', 'क', 'ष'), { minLength: 1, maxLength: 20 }), (letters) => {
      const spelled = `${letters.join('\u200c')}\u200d@example.com`
      expect(email.parse(spelled)).toBe(spelled)
      expect(addressKey(spelled)).toBe(addressKey(`${letters.join('')}@example.com`))
    }),
  )
  expect(addressKey('e\u200d\u0301@example.com')).toBe('é@example.com')
  expect(addressKey('a@क्\u200dष.भारत')).not.toBe(addressKey('a@क्ष.भारत'))
})

test('refuses an address with a character that nobody sees, except joiners in other scripts', () => {
  const invisible = fc.constantFrom(...'\u00ad\u034f\u200b\u200d\u200e\u202e\u2060\u2066\u3164\ufe0f\ufeff\u0085\ue000')
  const part = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(part, invisible, part, (before, hidden, after) => {
      expect(email.safeParse(`${before}${hidden}${after}@example.com`).success).toBe(false)
    }),
  )
  for (const sign of ['a＠b', 'a（b）', '¨a', 'a；b'])
    expect(email.safeParse(`${sign}@example.com`).success, sign).toBe(false)
  expect(email.safeParse('क्\u200dष@example.com').success).toBe(true)
})

test('every accepted address has the key of its domain, and this key is its own key', () => {
  const letter = fc.integer({ min: 0x80, max: 0x1ffff }).map((code) => String.fromCodePoint(code))
  const form = fc.constantFrom('#.example', 'a#b.example', 'οφι#.gr', 'l#l.cat')
  fc.assert(
    fc.property(letter, form, (sign, domain) => {
      const written = domain.replace('#', sign)
      if (!email.safeParse(`x@${written}`).success) return
      const key = domainKey(written)
      expect(addressKey(`x@${written}`)).toBe(`x@${key}`)
      expect(email.parse(`x@${key}`)).toBe(`x@${key}`)
    }),
    { numRuns: 2000 },
  )
  for (const domain of ['ϲοφια.gr', 'a¼.example']) expect(email.safeParse(`x@${domain}`).success, domain).toBe(false)
})

const joined = fc.string({ unit: fc.constantFrom(...'\u200c\u200dee\u0301\u0308 ¨@＠.Σςक्ष') })
test('the key of a key is the key, whatever the text is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress(), joined), (text) => {
      expect(addressKey(addressKey(text))).toBe(addressKey(text))
    }),
  )
})

test.each([
  'localhost',
  'a..b',
  '.a.b',
  'a.b.',
  '-a.b',
  'a-.b',
  '1.2.3.4',
  'a.1',
  'a.0x1',
  'a%2eb.c',
  'a/b.c',
  'a。。b',
  'a。1',
  'a.\u0308b',
  `${'a'.repeat(64)}.b`,
  `${'ab.'.repeat(90)}c`,
])('%s is no domain of an address', (domain) => {
  expect(domainKey(domain)).toBeNull()
  expect(email.safeParse(`mel@${domain}`).success).toBe(false)
})

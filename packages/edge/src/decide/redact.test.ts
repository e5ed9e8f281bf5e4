import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownArguments } from './redact.ts'

test.each([
  [
    { password: 'x', db_passwd: 'x', apiKey: { id: 1 }, 'X-Api-Key': ['x'] },
    ['password', 'db_passwd', 'apiKey', 'X-Api-Key'],
  ],
  [
    { Authorization: 'x', auth: 'x', pin: 1, session_id: 'x', Cookie: 'x' },
    ['Authorization', 'auth', 'pin', 'session_id', 'Cookie'],
  ],
])('removes fields with names of secrets: %j', (args, fields) => {
  const shown = shownArguments(args)
  for (const field of fields) expect(shown?.[field], field).toBe('[redacted]')
})

test.each([
  `curl -H 'Authorization: Bearer abcdef0123456789'`,
  `ak_${'0'.repeat(64)}`,
  `a ghp_${'a'.repeat(36)} b`,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
  'token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
  '-----BEGIN PRIVATE KEY-----',
  `-----BEGIN RSA PRIVATE KEY-----\n${'a'.repeat(64)}\n-----END RSA PRIVATE KEY-----\n`,
])('removes texts that look like secrets: %s', (text) => {
  const shown = JSON.stringify(shownArguments({ command: text }))
  expect(shown).toContain('[redacted]')
  expect(shown).not.toMatch(/abcdef0123|000000|aaaaaa|eyJzdWI|BEGIN/)
})

test('shortened and redacted names do not hide other fields', () => {
  const key = (last: string) => `ak_${'0'.repeat(63)}${last}`
  const args = {
    [key('1')]: 'a',
    [key('2')]: 'b',
    '\0': 'c',
    '\ufffd': 'd',
    [`${'x'.repeat(5000)}1`]: 'e',
    [`${'x'.repeat(5000)}2`]: 'f',
  }
  expect(Object.values(shownArguments(args) ?? {})).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  const many = Object.fromEntries([['…', 'first'], ...Array.from({ length: 60 }, (_, n) => [`k${n}`, n])])
  expect(shownArguments(many)).toMatchObject({ '…': 'first', '… (2)': '11 more' })
})

test('keeps what people need for their decision', () => {
  const args = { to: 'ACME', amount: 5, urgent: true, note: null, keys: ['a', 'b'], monkey: 'x' }
  expect(shownArguments(args)).toEqual(args)
})

test('shortens long texts, long lists and deep values, and shows nothing if they are too large', () => {
  const shown = shownArguments({ text: 'x'.repeat(5000), list: Array(60).fill(1), deep: nested(30) })
  expect(String(shown?.text)).toHaveLength(1001)
  expect(shown?.list).toHaveLength(51)
  expect(JSON.stringify(shown)).toContain('[…]')
  expect(shownArguments(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n, 'x'.repeat(900)])))).toBeNull()
})

test('stops once the result is too large', () => {
  let read = 0
  const item = {
    get text() {
      read++
      return 'x'.repeat(900)
    },
  }
  expect(shownArguments({ list: Array(50).fill(item) })).toBeNull()
  expect(read).toBe(14)
  // 50^7 values, if every one were inspected.
  let wide: unknown = ''
  for (let depth = 1; depth < 8; depth++) wide = Array(50).fill(wide)
  expect(shownArguments({ wide })).toBeNull()
})

test('shortens a text that repeats the prefix of a token', () => {
  const text = 'eyJ-'.repeat(250_000)
  expect(shownArguments({ text })).toEqual({ text: `${text.slice(0, 1000)}…` })
})

test('property: the result for any JSON is within the limits of the control plane', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 12 })), (args) => {
      const shown = shownArguments({ ...args, surrogate: '\ud800', nul: '\0' })
      const text = JSON.stringify(shown)
      expect(text.length).toBeLessThanOrEqual(16_384)
      expect(text).not.toMatch(/\\u0000|\\ud800/)
    }),
  )
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenOf } from './account-commands.ts'

const token = fc.stringMatching(/^[\w-]{20,43}$/)
const pages = ['join', 'verify-email', 'sign-in'] as const
const page = fc.constantFrom(...pages)

test('finds the token of a mailed link in what a person pastes, and takes a bare token', () => {
  const before = fc.constantFrom('', ' ', '<', '(', '"')
  const after = fc.constantFrom('', '\n', '>', '.', '),', '&utm_source=mail', '#')
  const base = fc.constantFrom('https://mandate.example.com', 'http://127.0.0.1:8080/under/a/path')
  fc.assert(
    fc.property(token, page, base, before, after, (text, of, url, start, end) => {
      expect(tokenOf(`${start}${url}/${of}?token=${text}${end}`, of)).toBe(text)
      expect(tokenOf(` ${text}\n`, of)).toBe(text)
    }),
  )
})

test.each(pages)('refuses what has no token for the page %s, and a link that opens another page', (of) => {
  const refused = (text: string) => {
    try {
      return tokenOf(text, of)
    } catch (error) {
      return (error as Error).message
    }
  }
  for (const text of ['', ' ', 'not a link', 'a/b', `https://mandate.example.com/${of}`, `http://x/${of}?token=`])
    expect(refused(text)).toBe(`${text} is not a mailed link`)
  for (const other of [...pages, 'approve', 'reset-password'].filter((one) => one !== of))
    expect(refused(`https://mandate.example.com/${other}?token=abc`)).toBe(
      `this link opens the page ${other}, not ${of}`,
    )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameInMail } from './name-in-mail.ts'

const shown = (text: string) => nameInMail(text, 'Someone')

describe('a name in a mail', () => {
  it.each([
    ['Acme', 'Acme'],
    ['Müller & Söhne GmbH', 'Müller & Söhne GmbH'],
    ['  Acme\t\r\nInc.  ', 'Acme Inc.'],
    ['R&D/Operations', 'R&D/Operations'],
    ['Release 2.0', 'Release 2.0'],
    ['株式会社', '株式会社'],
    ['ops\n\nhttps://evil.example/approve\n', 'ops'],
    ['Win at https://evil.example/x?y=1 now', 'Win at now'],
    ['HTTPS://EVIL.EXAMPLE', 'Someone'],
    ['www.evil.example/login', 'Someone'],
    ['evil.example/login', 'evil example/login'],
    ['evil。example', 'evil example'],
    ['evil．example', 'evil example'],
    ['//evil.example', 'evil example'],
    ['192.0.2.1', '192 0 2 1'],
    ['write to pay@evil.example soon', 'write to soon'],
    ['pay＠evil.example', 'Someone'],
    ['mailto:pay', 'pay'],
    ['Big data: analytics', 'Big data: analytics'],
    ['a\u202eb\u200bc\u0000d', 'abc d'],
    ['\u3164', 'Someone'],
    ['\u2800', 'Someone'],
    ['Pay\u034fPal\u{e0101}', 'PayPal'],
    [`Zoe${'\u0308'.repeat(20)}`, `Zoë${'\u0308'.repeat(8)}`],
    ['ရွှေ့', 'ရွှေ့'],
    ['', 'Someone'],
  ])('%j is shown as %j', (text, expected) => expect(shown(text)).toBe(expected))

  it('is cut at 60 characters and never inside a character', () => {
    expect(shown('😀'.repeat(61))).toBe(`${'😀'.repeat(59)}…`)
    expect(shown('a'.repeat(60))).toBe('a'.repeat(60))
  })

  it('never has a link, an address, a control or invisible character, or more than 60 characters', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom(
        'https://',
        'http:',
        '//',
        'www.',
        'evil.com',
        '.',
        '。',
        '@',
        '＠',
        'a',
        ' ',
        'mailto:',
        '1.2.3.4',
      ),
    )
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (written) => {
        const name = shown(written)
        expect(name).not.toMatch(
          /[@\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|:\/\/|[\p{L}][.。]\p{L}/u,
        )
        expect([...name].length).toBeLessThanOrEqual(60)
        expect(name).not.toBe('')
        expect(name).not.toMatch(/^\s|\s$/)
      }),
      { numRuns: 3000 },
    )
  })
})

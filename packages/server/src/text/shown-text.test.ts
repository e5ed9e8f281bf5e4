import { hiddenCharacter } from '@mandate/contract/words/hidden-characters'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shownLine, shownText } from './shown-text.ts'

describe('text of an agent, shown to people', () => {
  it.each([
    ['a character that changes the direction of text', 'rm \u202egpj.exe', 'rm \\u{202e}gpj.exe'],
    ['an invisible character', 'pay\u200bpal', 'pay\\u{200b}pal'],
    ['a control character', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a tag outside the first plane', 'x\u{e0041}', 'x\\u{e0041}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a character that looks like a space', 'a\u3164b\u2800c\u00a0d', 'a\\u{3164}b\\u{2800}c\\u{a0}d'],
    ['a text in variation selectors', 'x\u{e0101}\ufe01', 'x\\u{e0101}\\u{fe01}'],
    ['marks that cover other lines', `e${'\u0301'.repeat(10)}`, `e${'\u0301'.repeat(8)}\\u{301}\\u{301}`],
    ['words with several marks on a letter stay unchanged', 'ရွှေ့ הַשָּׁ֔מַיִם', 'ရွှေ့ הַשָּׁ֔מַיִם'],
    ['letters of any script stay unchanged', 'naïve ключ 鍵 😀 ❤\ufe0f', 'naïve ключ 鍵 😀 ❤\ufe0f'],
  ])('%s', (_, text, shown) => {
    expect(shownText(text)).toBe(shown)
  })

  it('contains no characters that hide text or change its direction, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = shownText(text)
        const rest = shown.replaceAll(/\p{RGI_Emoji}|\n/gv, '')
        expect(rest).not.toMatch(hiddenCharacter)
        expect(shown).not.toMatch(/\p{M}{9}/u)
      }),
    )
  })

  it('has no line breaks as a line, and is cut to its length in characters', () => {
    expect(shownLine(' a\r\n b\t\u2028c ')).toBe('a b c')
    expect(shownLine('😀'.repeat(10), 5)).toBe('😀😀😀😀…')
    expect(shownLine('12345', 5)).toBe('12345')
  })
})

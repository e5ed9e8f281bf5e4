import { expect, it } from 'vitest'
import { hasHidden, hiddenIn, shownParts, startOf, typedText } from './hidden-characters.ts'

it('plain text of any language stays one part', () => {
  for (const text of ['Kunde wartet seit 19 Tagen', 'line 1\nline 2', 'שלום', '返品', 'e\u0301te\u0301'])
    expect(shownParts(text)).toEqual([{ text }])
})

it('a hidden character becomes a chip with its code and its name', () => {
  expect(shownParts('88213.\u200b ok\u202e')).toEqual([
    { text: '88213.' },
    { chip: 'U+200B', why: 'zero width space', count: 1 },
    { text: ' ok' },
    { chip: 'U+202E', why: 'right-to-left override', count: 1 },
  ])
})

it.each([
  '\u0000',
  '\u001b',
  '\u00a0',
  '\u00ad',
  '\u3164',
  '\u115f',
  '\u2800',
  '\ufeff',
  '\u2028',
  '\ufe0f',
  '\ud800',
  '\ue000',
])('shows %j', (character) => expect(hiddenIn(`a${character}b`)).toBe(1))

it('tag characters in a row are one chip with their number', () => {
  const text = [...'approve this!!'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
  expect(shownParts(`ok${text}`)).toEqual([
    { text: 'ok' },
    { chip: 'tag 14 characters', why: 'tag characters, a hidden text', count: 14 },
  ])
})

it('marks that would cover other lines are counted instead', () => {
  expect(shownParts(`a${'\u0301'.repeat(15)}b`)).toEqual([
    { text: `a${'\u0301'.repeat(8)}` },
    { chip: '7 more marks', why: 'combining marks over one letter', count: 7 },
    { text: 'b' },
  ])
})

it('a name is typed without its hidden characters, and with single spaces', () => {
  expect(typedText('prod\u200b')).toBe('prod')
  expect(typedText('pay\u00a0roll \u202e 2')).toBe('pay roll 2')
  expect(typedText('Zoë’s agents, مراقب')).toBe('Zoë’s agents, مراقب')
  expect(typedText('\u200b')).toBe('[U+200B]')
})

it('finds hidden characters in a text, and none in usual text', () => {
  for (const text of ['Kunde wartet', '2\u00a0agents', 'שלום', 'ရွှေ့', 'e\u0301te\u0301'])
    expect(hasHidden(text), text).toBe(false)
  for (const text of ['pay\u202eevorppa', 'a\u200bb', `a${'\u0301'.repeat(9)}`])
    expect(hasHidden(text), text).toBe(true)
})

it('the start of a long text ends with a whole character', () => {
  const before = 'a'.repeat(899)
  expect(startOf(`${before}\u{1f600} and more`)).toBe(before)
  expect(startOf(`${before}b\u{1f600}`)).toBe(`${before}b`)
  expect(startOf(`${before.slice(1)}\u{1f600}b`)).toBe(`${before.slice(1)}\u{1f600}`)
  expect(startOf('a\n'.repeat(13))).toBe(`${'a\n'.repeat(11)}a`)
})

import { describe, expect, test } from 'vitest'
import { jsonLine, printable } from './printable.ts'
import { formatTable } from './table.ts'

// Written out, so that this file itself shows what it says.
const hostile = 'a\u001b[2Jb\u009bc\u202ed\ne\u0000'

describe('text from elsewhere', () => {
  test('what a terminal would act on is shown and not done', () => {
    expect(printable(hostile)).toBe('a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\ne\\u{0}')
    expect(printable('Ünïcode 日本語 👩‍🚀 “quoted”')).toBe('Ünïcode 日本語 👩‍🚀 “quoted”')
  })

  test('a line of JSON is one line, holds nothing a terminal would act on, and reads as the same value', () => {
    const line = jsonLine({ name: hostile })
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(line)).toEqual({ name: hostile })
  })
})

describe('a table', () => {
  const columns = [
    { title: 'NAME', value: ({ name }: { name: string | null }) => name },
    { title: 'LAST', value: () => 'x' },
  ]

  test('columns stand under each other whatever the width of characters, and nothing trails', () => {
    expect(formatTable([{ name: '日本' }, { name: 'a' }, { name: null }], columns)).toEqual([
      'NAME   LAST',
      '日本   x',
      'a      x',
      '-      x',
    ])
  })

  test('a row is one line', () => {
    expect(formatTable([{ name: 'a\nb' }], columns)).toHaveLength(2)
  })
})

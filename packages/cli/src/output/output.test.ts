import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { dataFormat, printData } from './format.ts'
import { jsonLine, jsonText, printable } from './printable.ts'
import { formatTable } from './table.ts'
import { yamlText } from './yaml-text.ts'

// Escape sequences instead of raw characters, so that an editor shows them.
const hostile = 'a\u001b[2Jb\u009bc\u202ed\ne\u0000f\u200b\u{e0041}'

describe('untrusted text', () => {
  test('escapes control characters and keeps all other text', () => {
    expect(printable(hostile)).toBe('a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\ne\\u{0}f\\u{200b}\\u{e0041}')
    for (const text of ['Ünïcode 日本語 “quoted”', '👩‍🚀 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿']) expect(printable(text)).toBe(text)
  })

  test.each(['\u200b', '\u200d', '\u200e', '\u061c', '\ufe0f', '\ufeff', '\u00a0', '\u3164', '\ud800', '\u{e0041}'])(
    'shows %j by its code, because a name with it looks like another name',
    (character) => expect(printable(`a${character}b`)).toBe(`a\\u{${character.codePointAt(0)!.toString(16)}}b`),
  )

  test('writes JSON as one line without control characters that parses to the same value', () => {
    const line = jsonLine({ name: hostile })
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(line)).toEqual({ name: hostile })
  })
})

describe('data for programs', () => {
  const value = { name: hostile, list: ['plain', '- dash', 'yes', '2\n3'], [hostile]: null }

  test('writes indented JSON and YAML without control characters that parse to the same value', () => {
    for (const [text, read] of [
      [jsonText(value), (text: string) => JSON.parse(text)],
      [yamlText(value), (text: string) => parse(text)],
    ] as const) {
      expect(text).toMatch(/^[\x20-\x7e\n]*$/)
      expect(read(text)).toEqual(value)
    }
  })

  test('prints a list as one object per line, after the query', () => {
    const written: string[] = []
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    onTestFinished(() => spy.mockRestore())
    printData([{ a: 1 }, { a: 2 }], 'lines')
    printData([{ a: 1 }, { a: 2 }], 'lines', { query: '[].a' })
    printData({ a: 1 }, 'json', { query: 'b' })
    printData({ a: 1 }, 'json', { query: 'constructor' })
    printData([{ a: 1 }], 'yaml')
    expect(written.join('')).toBe('{"a":1}\n{"a":2}\n1\n2\nnull\nnull\n- a: 1\n')
  })

  test.each([
    [{}, undefined],
    [{ output: 'table' }, undefined],
    [{ json: true, query: 'a' }, 'lines'],
    [{ query: 'a' }, 'json'],
    [{ output: 'yaml', query: 'a' }, 'yaml'],
  ] as const)('maps the options %j to the format %s', (options, format) => {
    expect(dataFormat(options)).toBe(format)
  })

  test('rejects a query with table output as a usage error', () => {
    expect(() => dataFormat({ output: 'table', query: 'a' })).toThrow('--query selects from JSON')
  })
})

describe('a table', () => {
  const columns = [
    { title: 'NAME', value: ({ name }: { name: string | null }) => name },
    { title: 'LAST', value: () => 'x' },
  ]

  test('aligns columns of wide characters, without trailing spaces', () => {
    expect(formatTable([{ name: '日本' }, { name: 'a' }, { name: null }], columns)).toEqual([
      'NAME   LAST',
      '日本   x',
      'a      x',
      '-      x',
    ])
  })

  test('prints a row on one line', () => {
    expect(formatTable([{ name: 'a\nb' }], columns)).toHaveLength(2)
  })
})

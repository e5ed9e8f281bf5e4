import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { dataFormat, printData } from './format.ts'
import { jsonLine, jsonText, printable } from './printable.ts'
import { formatTable } from './table.ts'
import { yamlText } from './yaml-text.ts'

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

describe('data for programs', () => {
  const value = { name: hostile, list: ['plain', '- dash', 'yes', '2\n3'], [hostile]: null }

  test('indented JSON and YAML hold nothing a terminal would act on, and read as the same value', () => {
    for (const [text, read] of [
      [jsonText(value), (text: string) => JSON.parse(text)],
      [yamlText(value), (text: string) => parse(text)],
    ] as const) {
      expect(text).toMatch(/^[\x20-\x7e\n]*$/)
      expect(read(text)).toEqual(value)
    }
  })

  test('a list of lines is one object a line, and a query selects before it is printed', () => {
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
  ] as const)('%j is printed as %s', (options, format) => {
    expect(dataFormat(options)).toBe(format)
  })

  test('a query of a table is a wrong command line', () => {
    expect(() => dataFormat({ output: 'table', query: 'a' })).toThrow('--query selects from JSON')
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

import { expect, it } from 'vitest'
import { toColumns } from './json-columns.ts'
import {
  bareOrNull,
  knownWord,
  list,
  object,
  objectUnlessNull,
  text,
  timeOrNull,
  toSql,
  word,
  wordOrNull,
} from './json-text.ts'

const json = object({
  id: word('t.id'),
  kind: wordOrNull('t.kind'),
  count: bareOrNull('t.count'),
  again: objectUnlessNull('t.id', { id: word('t.id') }),
  at: timeOrNull('t.at'),
  items: list('t.items'),
  now: knownWord('now', '$1'),
})

it('selects each value once', () => {
  expect(toColumns(json).select).toBe('t.id as c0, t.kind as c1, t.count as c2, t.at as c3, t.items as c4')
})

it('writes the JSON of a row, also if its values are null', () => {
  const { write } = toColumns(json)
  const row = { c0: 'x', c1: 'odd', c2: 0, c3: '2026-01-02T03:04:05.600Z', c4: '{},{}' }
  expect(write(row, { now: 'then' })).toBe(
    '{"id":"x","kind":"odd","count":0,"again":{"id":"x"},"at":"2026-01-02T03:04:05.600Z","items":[{},{}],"now":"then"}',
  )
  const nulls = { c0: null, c1: null, c2: null, c3: null, c4: null }
  expect(write(nulls, { now: '' })).toBe(
    '{"id":"","kind":null,"count":null,"again":null,"at":null,"items":[],"now":""}',
  )
})

it('escapes any text', () => {
  const said = object({ said: text('t.said') })
  const { write } = toColumns(said)
  expect(write({ c0: 'a "quoted"\nline' }, {})).toBe('{"said":"a \\"quoted\\"\\nline"}')
  expect(write({ c0: null }, {})).toBe('{"said":null}')
  expect(toSql(said)).toBe(`format('{"said":%s}', coalesce(to_json(t.said)::text, 'null'))`)
})

it('compiles to one SQL format of its literals and values', () => {
  expect(toSql(object({ id: word('t.id'), '100%': knownWord('now', '$1') }))).toBe(
    `format('{"id":"%s","100%%":"%s"}', t.id, $1)`,
  )
})

import { expect, it } from 'vitest'
import { placeOf } from './json-places.ts'

const text = JSON.stringify(
  {
    name: 'A "quoted" } name',
    rules: [
      { priority: 1, match: { tools: [] } },
      { priority: -2.5e3, match: { tools: ['mcp:a/b', 'mcp:]', 'x'] }, enabled: false },
    ],
  },
  null,
  2,
)

it.each([
  ['name', '"A \\"quoted\\" } name"'],
  ['rules[0].priority', '1'],
  ['rules[1].priority', '-2500'],
  ['rules[1].match.tools[1]', '"mcp:]"'],
  ['rules[0].match.tools', '[]'],
  ['rules[1].enabled', 'false'],
  ['', text],
])('finds %s', (path, value) => {
  const { from, to } = placeOf(text, path)
  expect(text.slice(from, to)).toBe(value)
})

it.each([
  ['rules[0].reason', 'rules[0]'],
  ['rules[0].match.tools[3]', 'rules[0].match.tools'],
  ['rules[7].name', 'rules'],
  ['name.first', 'name'],
  ['reason', ''],
])('finds the part that lacks %s', (path, found) => {
  expect(placeOf(text, path)).toEqual(placeOf(text, found))
})

it('finds the last member of a name that is there twice, as JSON.parse does', () => {
  const twice = '{"a": 1, "\\u0061": [2]}'
  expect(twice.slice(placeOf(twice, 'a').from)).toBe('[2]}')
  expect(JSON.parse(twice)).toEqual({ a: [2] })
})

it('reads a text of any depth', () => {
  const deep = `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "b": 5}`
  expect(deep.slice(placeOf(deep, 'b').from)).toBe('5}')
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { findIssues } from './find-issues.ts'
import { fieldName } from './refusal-text.ts'

const Range = z
  .strictObject({ low: z.int().optional(), high: z.int() })
  .refine(({ low = 0, high }) => low < high, 'must have low below high')

const Schema = z.object({
  name: z.string(),
  ranges: z.array(Range).optional(),
  table: z.array(z.array(z.int())).nullable().optional(),
})

test.each([
  ['no issue in a valid value', { name: 'a', ranges: [{ high: 1 }], table: null }, []],
  ['a value of a wrong type', [], ['(invalid_type)']],
  ['a missing field', {}, ['name(invalid_type)']],
  [
    'a field of a wrong type, for each field',
    { name: 1, ranges: 2, table: 3 },
    ['name(invalid_type)', 'ranges(invalid_type)', 'table(invalid_type)'],
  ],
  ['null in an optional field that is not nullable', { name: 'a', ranges: null }, ['ranges(invalid_type)']],
  ['an item of a list in an optional field', { name: 'a', ranges: [{ high: 1 }, 5] }, ['ranges[1](invalid_type)']],
  [
    'items of nested lists',
    { name: 'a', table: [[1, 'a'], [2], ['b']] },
    ['table[0][1](invalid_type)', 'table[2][0](invalid_type)'],
  ],
  ['a refinement', { name: 'a', ranges: [{ low: 2, high: 1 }] }, ['ranges[0](custom)']],
  [
    'a field before the refinement of its object',
    { name: 'a', ranges: [{ low: 2, high: 'a' }] },
    ['ranges[0].high(invalid_type)'],
  ],
  [
    'the unknown fields of a strict object in one issue',
    { name: 'a', ranges: [{ high: 1, a: 1, b: 2 }] },
    ['ranges[0](unrecognized_keys)'],
  ],
  [
    'a field before the unknown fields of its object',
    { name: 'a', ranges: [{ a: 1 }] },
    ['ranges[0].high(invalid_type)'],
  ],
  [
    'at most 4 issues',
    { table: ['a', [1, 'b', 'c', 'd'], 'e'] },
    ['name(invalid_type)', 'table[0](invalid_type)', 'table[1][1](invalid_type)', 'table[1][2](invalid_type)'],
  ],
])('finds %s', (_, value, expected) => {
  const found = findIssues(Schema, value, 4)
  expect(found.map(({ path, code }) => `${fieldName(path, '')}(${code})`)).toEqual(expected)
})

import { expect, it } from 'vitest'
import { faultOf } from './json-fault.ts'

it.each([
  ['{"a": x}', 6],
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['{"a": 1} 2', 9],
  ['{"a": [1, {"b": null}', 21],
  ['', 0],
  ['{a: 1}', 1],
  ['[1, ]', 4],
  ['{"a": 1]', 7],
])('the fault of %s is at %i', (text, at) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(faultOf(text)).toBe(at)
})

import { isExactNumber } from '@mandate/contract/fields/is-exact-number'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJson } from './read-json.ts'

const read = (text: string) => readJson(Buffer.from(text))
const inexact = 'is a number that JSON parsers cannot represent exactly; send it as a string'

const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/)

test('a body passes exactly if each of its numbers is exact, wherever the number is', () => {
  fc.assert(
    fc.property(digits, fc.string(), fc.array(digits.filter(isExactNumber)), (number, key, before) => {
      const text = `{"list": [${before}], ${JSON.stringify(`k${key}`)}: {"n": [true, {"v" : ${number}\n}]}}`
      if (isExactNumber(number)) expect(read(text)).toEqual(JSON.parse(text))
      else expect(() => read(text)).toThrow(`k${key}.n[1].v ${inexact}`)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['9007199254740993', 'body'],
  ['[1, 1e400]', '[1]'],
  ['{"a":{"b":-9007199254740993}}', 'a.b'],
])('names the number in %s', (text, name) => expect(() => read(text)).toThrow(`${name} ${inexact}`))

test('digits in strings and keys are no numbers', () => {
  const body = { 9007199254740993: 'x 9007199254740993 "1e400' }
  expect(read(JSON.stringify(body))).toEqual(body)
})

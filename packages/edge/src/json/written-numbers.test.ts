import { expect, test } from 'vitest'
import { LongNumbers } from './written-numbers.ts'

const textsOf = (digits: string) => {
  const numbers = new LongNumbers()
  numbers.note(digits)
  return numbers.written.get(Number(digits))?.texts
}

test.each([
  '9007199254740993',
  '1e300',
  '1234567.4111111111111111',
  '-0.41111111111111111111',
  '4111111111111111.4e-3',
])('the digits of %s are kept, because a double may not carry them', (digits) =>
  expect(textsOf(digits)).toEqual([digits]),
)

test.each(['9007199254740991', '0.10000000000000001', '0.1000000000000000000', '1234567.125', '1e3', '-1.5e-3'])(
  'a double carries the digits of %s',
  (digits) => expect(textsOf(digits)).toBeUndefined(),
)

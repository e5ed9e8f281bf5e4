import { describe, expect, it } from 'vitest'
import { include } from './include.ts'

const schema = include(['names', 'may'], 'Additional parts of the response.')

describe('include', () => {
  it.each([
    [undefined, undefined],
    ['names', ['names']],
    ['names,may', ['names', 'may']],
    [
      ['may', 'names', 'may'],
      ['may', 'names'],
    ],
    [
      ['may,names', 'names'],
      ['may', 'names'],
    ],
  ])('reads %j as %j', (given, expected) => {
    expect(schema.parse(given)).toEqual(expected)
  })

  it.each(['', 'other', 'names,', ['names', 'other'], { names: true }])('refuses %j', (given) => {
    expect(schema.safeParse(given).error?.issues[0]?.message).toBe('must be one or more of names, may')
  })
})

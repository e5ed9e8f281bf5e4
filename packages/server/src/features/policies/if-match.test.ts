import { describe, expect, it } from 'vitest'
import { requireMatch } from './if-match.ts'

describe('If-Match against a policy at version 3', () => {
  it.each([undefined, '"3"', '*', ' "3" ', '"1", "3"'])('%s allows the save', (header) => {
    expect(() => requireMatch(header, 3)).not.toThrow()
  })

  it.each(['"2"', '"33"', 'W/"3"', '3', '', 'nonsense', '"3', '"1","2"'])('412 for %s', (header) => {
    expect(() => requireMatch(header, 3)).toThrow(expect.objectContaining({ status: 412 }))
  })
})

it('tells a client with a weak tag of the current version what to send', () => {
  expect(() => requireMatch('W/"3"', 3)).toThrow('send the tag without W/')
  expect(() => requireMatch('W/"2"', 3)).toThrow(/version 3$/)
})

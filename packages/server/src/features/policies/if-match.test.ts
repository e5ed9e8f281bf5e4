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

it.each(['W/"3"', '"3-gzip"', '"3--gzip"', '"3;br"', 'W/"3-zstd"', '3', '"1", W/"3"'])(
  'tells a client what to send whose tag of the current version was changed: %s',
  (header) => {
    expect(() => requireMatch(header, 3)).toThrow(/: send "3", and see "Proxies" in docs\/operations\.md$/)
    for (const version of [2, 31, 33]) expect(() => requireMatch(header, version)).toThrow(/version \d+$/)
  },
)

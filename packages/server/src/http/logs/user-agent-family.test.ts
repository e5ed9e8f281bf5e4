import fc from 'fast-check'
import { expect, it } from 'vitest'
import { userAgentFamily } from './user-agent-family.ts'

it.each([
  [undefined, 'none'],
  ['', 'none'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['python-requests/2.31', 'python-requests/2.31'],
  ['node', 'node'],
  ['mandate-edge/1.2.0 (linux)', 'mandate-edge/1.2.0'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36', 'Chrome'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/128.0 Safari/537.36 Edg/128.0', 'Edge'],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15', 'Safari'],
  ['Mozilla/5.0 something', 'other'],
  [`mk_${'a1'.repeat(32)}`, 'other'],
  ['Bearer: x', 'other'],
  ['{"a":1}', 'other'],
])('%j is %s', (header, family) => expect(userAgentFamily(header)).toBe(family))

it('is short and plain for any header', () => {
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => /^[A-Za-z0-9._/-]{1,40}$/.test(userAgentFamily(text))))
})

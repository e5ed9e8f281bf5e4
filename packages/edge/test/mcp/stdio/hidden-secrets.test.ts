import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HiddenSecrets } from '../../../src/mcp/stdio/hidden-secrets.ts'

const marker = 'Zq8Wm3Xk7Pv2'
const character = fc.constantFrom('"', "'", '\\', '\n', '\r\n', ' ', 'é', '%', '&', '{', 'a')
const secretText = fc
  .tuple(fc.string({ unit: character, maxLength: 8 }), fc.string({ unit: character, maxLength: 8 }))
  .map(([before, after]) => `${before}${marker}${after}`)

const dumps: [string, (secret: string) => string][] = [
  ['as JSON', (secret) => JSON.stringify({ KEY: secret })],
  ['as JSON within a log line in JSON', (secret) => JSON.stringify({ msg: JSON.stringify({ KEY: secret }) })],
  ['as an object of JavaScript', (secret) => inspect({ KEY: secret }, { breakLength: Number.POSITIVE_INFINITY })],
  ['in base64', (secret) => Buffer.from(secret).toString('base64')],
  ['in a URL', (secret) => `https://example.com/?key=${encodeURIComponent(secret)}`],
]

it.each(dumps)('property: a secret that a server prints %s is not in its log', (_how, print) => {
  fc.assert(
    fc.property(secretText, (secret) => {
      const printed = print(secret)
      const shown = new HiddenSecrets([secret]).in(printed, false)
      expect(shown).toContain('[hidden]')
      expect(shown).not.toContain(marker)
      expect(shown.length).toBeLessThan(printed.length)
    }),
  )
})

it('hides no text that is not of a secret', () => {
  const line = JSON.stringify({ PATH: '/usr/bin', HOME: '/root' })
  expect(new HiddenSecrets([`a"b\\c${marker}`]).in(line, false)).toBe(line)
})

import { expect, it } from 'vitest'
import { deviceName } from './device-name.ts'

const mozilla = 'Mozilla/5.0'
it.each([
  [`${mozilla} (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0`, 'Firefox on Windows'],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15`,
    'Safari on macOS',
  ],
  [`${mozilla} (X11; Linux x86_64) AppleWebKit/537.36 Chrome/128.0.0.0 Safari/537.36 Edg/128.0`, 'Edge on Linux'],
  [`${mozilla} (iPhone; CPU iPhone OS 17_0 like Mac OS X) CriOS/128.0 Mobile Safari/604.1`, 'Chrome on iOS'],
  ['curl/8.5.0', 'curl'],
  ['', 'an unknown program'],
  ['visit https://evil.example now', 'an unknown program'],
])('%s is %s', (userAgent, family) => {
  expect(deviceName(userAgent)).toBe(family)
})

import { expect, it } from 'vitest'
import { clientOfSession } from './client-of-session.ts'

const stored = (userAgent: string, ip = '127.0.0.1') => clientOfSession({ ip, userAgent })

it.each([
  ['curl/8.5.0', 'curl/8.5.0'],
  ['a\tb\u0000c\u001b[31m', 'a b c [31m'],
  ['\u009bdanger', 'danger'],
  ['evil\u202etxt.exe', 'evil txt.exe'],
  ['zero\u200bwidth\ufeff', 'zero width'],
  ['line\u2028break', 'line break'],
])('the user agent %j is stored as %j', (given, kept) => {
  expect(stored(given).userAgent).toBe(kept)
})

it('a user agent has at most 300 characters, and no character is cut in half', () => {
  expect(stored('x'.repeat(500)).userAgent).toBe('x'.repeat(300))
  expect(stored('😀'.repeat(301)).userAgent).toBe('😀'.repeat(300))
})

it('a missing user agent, and one without a visible character, are null', () => {
  for (const userAgent of ['', ' ', '\u0007\t']) expect(stored(userAgent).userAgent).toBeNull()
})

it('an address of a client is stored if it is an IP address', () => {
  for (const ip of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', 'fe80::1%eth0']) expect(stored('', ip).ip).toBe(ip)
  for (const ip of ['', 'unknown', '192.0.2.1, 10.0.0.1', `fe80::1%${'x'.repeat(500)}`]) {
    expect(stored('', ip).ip).toBeNull()
  }
})

import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientAddress, readAddress } from './client-address.ts'

const request = (forwarded: string | undefined, remoteAddress = '10.0.0.1') =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage

const port = fc.integer({ min: 0, max: 65_535 })
const padding = fc.constantFrom('', ' ', '\t', '  ')
const noise = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('', ' ', 'unknown', '1.2.3.4:5')), {
  maxLength: 3,
})

/** Each form in which proxies write an IPv4 address. */
function ipv4Forms(ip: string, port: number): string[] {
  const [a, b, c, d] = ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
  const mapped = [`::ffff:${ip}`, `::FFFF:${ip}`, `::ffff:${a}${b}:${c}${d}`, `0:0:0:0:0:ffff:${ip}`]
  const dotted = mapped.filter((text) => text.includes('.'))
  // Node programs join `remoteAddress` and `remotePort` without brackets.
  const joined = dotted.map((text) => `${text}:${port}`)
  return [ip, `${ip}:${port}`, `"${ip}:${port}"`, ...mapped, ...mapped.map((text) => `[${text}]:${port}`), ...joined]
}

test('all forms of one IPv4 address are one client, whatever comes before them', () => {
  fc.assert(
    fc.property(fc.ipV4(), port, noise, padding, (ip, port, before, space) => {
      for (const form of ipv4Forms(ip, port))
        expect(clientAddress(request([...before, space + form + space].join(',')), true)).toBe(ip)
    }),
  )
})

const groups = fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 })

test('all forms of one IPv6 address are one client', () => {
  fc.assert(
    fc.property(groups, port, padding, (groups, port, space) => {
      const canonical = groups.map((group) => group.toString(16)).join(':')
      const long = groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join(':')
      expect(readAddress(`${long}:${port}`)).toBe(canonical)
      for (const text of [canonical, long, `${long}%eth0`, `${canonical}%25en1`])
        for (const form of [text, `[${text}]`, `[${text}]:${port}`, `"[${text}]:${port}"`])
          expect(clientAddress(request(`198.51.100.1,${space}${form}${space}`), true)).toBe(canonical)
    }),
  )
})

test.each([
  ['2001:0DB8:0:0::0001', '2001:db8::1'],
  ['[::1]', '::1'],
  ['fe80:0::1%eth0', 'fe80::1'],
  ['2001:db8::1:40001', '2001:db8::1'],
  ['2001:db8:::40001', '2001:db8::'],
  ['::1:65535', '::1'],
  ['::ffff:203.0.113.8:443', '203.0.113.8'],
  ['2001:db8::1:443', '2001:db8::1:443'],
  ['2001:db8::1:4000', '2001:db8::1:4000'],
])('%s has the canonical text %s', (text, canonical) => expect(readAddress(text)).toBe(canonical))

test.each([
  'unknown',
  '_hidden',
  'proxy.example:80',
  '1.2.3.4:',
  '256.1.1.1',
  '01.2.3.4',
  '0x7f.1',
  '[::1',
  '[]',
  '1.2.3.4%x',
  '::1]:80',
])('the proxy is the client if the last entry is %s', (last) => {
  expect(clientAddress(request(`203.0.113.8, ${last}`), true)).toBe('10.0.0.1')
  expect(clientAddress(request(`203.0.113.8, ${last}, ,`, '::ffff:10.0.0.1'), true)).toBe('10.0.0.1')
})

test('empty entries do not count', () => {
  expect(clientAddress(request('198.51.100.1,, 203.0.113.8 , ,'), true)).toBe('203.0.113.8')
  expect(clientAddress(request(' , '), true)).toBe('10.0.0.1')
  expect(clientAddress(request(undefined), true)).toBe('10.0.0.1')
})

test('without a proxy, the header does not count', () => {
  expect(clientAddress(request('203.0.113.8'), false)).toBe('10.0.0.1')
})

test('any header gives an address', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const address = clientAddress(request(text), true)
      expect(readAddress(address)).toBe(address)
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { httpAddressFault } from './http-address.ts'

it.each([
  ['localhost:8080', '; did you mean http://localhost:8080?'],
  ['127.0.0.1:8080', '; did you mean http://127.0.0.1:8080?'],
  ['[::1]:8080', '; did you mean http://[::1]:8080?'],
  ['mandate.example.com/api/v1', '; did you mean https://mandate.example.com/api/v1?'],
  ['mandate:8080', '; did you mean https://mandate:8080?'],
  ['ftp://mandate.example.com', ''],
  ['/run/mandate.sock', ''],
  ['mk_0123456789', ''],
  ['http://', ''],
  [' ', ''],
  ['', ''],
])('says that %j needs a scheme, and suggests one only for a host', (text, suggestion) => {
  expect(httpAddressFault(text)).toBe(`must be a URL beginning with https:// or http://${suggestion}`)
})

it('says that a port is too large, with or without a scheme', () => {
  const host = fc.constantFrom('http://127.0.0.1', 'https://mandate.example.com', 'localhost')
  fc.assert(
    fc.property(host, fc.integer({ min: 65_536 }), fc.constantFrom('', '/', '/api/v1'), (start, port, path) => {
      expect(httpAddressFault(`${start}:${port}${path}`)).toBe('must have a port from 1 to 65535')
    }),
  )
})

it('finds no fault in the address of a server', () => {
  const parts = [fc.constantFrom('http', 'https', 'HTTPS'), fc.domain(), fc.integer({ min: 1, max: 65_535 })] as const
  fc.assert(
    fc.property(...parts, fc.constantFrom('', '/', '/api/v1'), (scheme, host, port, path) => {
      expect(httpAddressFault(`${scheme}://${host}:${port}${path}`)).toBeUndefined()
    }),
  )
})

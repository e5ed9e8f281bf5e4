import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { describe, expect, test } from 'vitest'
import { cookieValue, cookieValues } from './cookies.ts'
import { clearSessionCookie, cookieSessionOf, writeSessionCookie } from './session-cookie.ts'

const endpointOf = (cookieSession: Endpoint['cookieSession']) => ({ cookieSession }) as Endpoint
const accepting = endpointOf('accepts')
const url = 'https://mandate.example.com'
const mode = { 'mandate-session': 'cookie' }
const token = 'a'.repeat(43)
const cookie = `__Host-mandate_session=${token}`

describe('the session cookie', () => {
  test.each([
    url,
    'https://mandate.example.com:8443/governance',
    'https://127.0.0.1',
    'http://mandate.internal',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1:8080',
  ])('is secure and tied to the host at %s', (publicUrl) => {
    expect(writeSessionCookie(publicUrl, token, 60)).toBe(
      `__Host-mandate_session=${token}; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict`,
    )
    expect(clearSessionCookie(publicUrl)).toBe(
      '__Host-mandate_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    )
    expect(cookieSessionOf(accepting, { ...mode, cookie: `mandate_session=${token}` }, publicUrl)).toEqual({})
    expect(cookieSessionOf(accepting, { ...mode, cookie }, publicUrl)).toEqual({ token })
  })

  test.each(['http://localhost:8080', 'http://127.0.0.1:8080/path', 'http://[::1]:8080'])(
    'has no prefix and needs no https at %s',
    (publicUrl) => {
      expect(writeSessionCookie(publicUrl, token, 60)).toBe(
        `mandate_session=${token}; Max-Age=60; Path=/; HttpOnly; SameSite=Strict`,
      )
      expect(cookieSessionOf(accepting, { ...mode, cookie: `mandate_session=${token}` }, publicUrl)).toEqual({ token })
      expect(cookieSessionOf(accepting, { ...mode, cookie }, publicUrl)).toEqual({})
    },
  )
})

describe('a request with a cookie session', () => {
  const read = (headers: Record<string, string>, publicUrl = url) => cookieSessionOf(accepting, headers, publicUrl)

  test('403 without the header, unless it has no cookie', () => {
    expect(() => read({ cookie })).toThrow(expect.objectContaining({ status: 403 }))
    expect(read({ cookie: 'theme=dark' })).toBeNull()
    expect(read({})).toBeNull()
  })

  test.each(['', 'Cookie', 'cookie, cookie', 'body', 'cookie;'])('400 for the header value %j', (value) => {
    expect(() => read({ 'mandate-session': value, cookie })).toThrow(expect.objectContaining({ status: 400 }))
  })

  test.each(['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, same-origin'])(
    '403 for Sec-Fetch-Site %j',
    (site) => {
      const headers = { ...mode, cookie, 'sec-fetch-site': site, origin: url }
      expect(() => read(headers)).toThrow(expect.objectContaining({ status: 403 }))
    },
  )

  test.each(['same-origin', 'none'])('is accepted for Sec-Fetch-Site %s', (site) => {
    expect(read({ ...mode, cookie, 'sec-fetch-site': site, origin: url })).toEqual({ token })
  })

  test.each([
    'null',
    '',
    'https://evil.example',
    'http://mandate.example.com',
    'https://mandate.example.com:8443',
    'https://mandate.example.com.evil.example',
    'https://app.mandate.example.com',
    'https://example.com',
    'https://mandate.example.com/',
    `${url}, ${url}`,
  ])('403 for the origin %j', (origin) => {
    expect(() => read({ ...mode, cookie, origin })).toThrow(
      expect.objectContaining({ status: 403, message: expect.stringContaining(url) }),
    )
  })

  test('the origin is that of PUBLIC_URL without its path and its default port', () => {
    const withPath = 'https://Mandate.example.com:443/governance'
    expect(read({ ...mode, cookie, origin: url }, withPath)).toEqual({ token })
    const withPort = 'https://mandate.example.com:8443/governance'
    expect(read({ ...mode, cookie, origin: 'https://mandate.example.com:8443' }, withPort)).toEqual({ token })
    expect(() => read({ ...mode, cookie, origin: url }, withPort)).toThrow(expect.objectContaining({ status: 403 }))
  })

  test('the names of the loopback interface are different origins', () => {
    const names = ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']
    for (const publicUrl of names)
      for (const origin of names) {
        const reading = () => read({ ...mode, origin }, publicUrl)
        if (origin === publicUrl) expect(reading()).toEqual({})
        else expect(reading).toThrow(expect.objectContaining({ status: 403 }))
      }
  })

  test('400 for two session cookies; other cookies may be repeated', () => {
    expect(() => read({ ...mode, cookie: `${cookie}; ${cookie}` })).toThrow(expect.objectContaining({ status: 400 }))
    expect(() => read({ ...mode, cookie: `${cookie}; __Host-mandate_session=` })).toThrow(
      expect.objectContaining({ status: 400 }),
    )
    expect(read({ ...mode, cookie: `a=1; ${cookie}; a=2` })).toEqual({ token })
  })

  test('an endpoint that only opens sessions does not read the cookie, and other endpoints ignore the header', () => {
    expect(cookieSessionOf(endpointOf('opens'), { cookie }, url)).toBeNull()
    expect(cookieSessionOf(endpointOf('opens'), { ...mode, cookie }, url)).toEqual({})
    expect(() => cookieSessionOf(endpointOf('opens'), { ...mode, origin: 'null' }, url)).toThrow(
      expect.objectContaining({ status: 403 }),
    )
    expect(cookieSessionOf(endpointOf(undefined), { ...mode, cookie, origin: 'null' }, url)).toBeNull()
  })
})

describe('a Cookie header', () => {
  test.each([
    ['', []],
    [';;;=;', []],
    ['name', []],
    ['name=', ['']],
    ['=name=a', []],
    [' name = a ; other=b', ['a']],
    ['NAME=a', []],
    ['name=a%20b', ['a%20b']],
    ['name="a"', ['"a"']],
    ['name=a=b', ['a=b']],
    ['name=a;name=b', ['a', 'b']],
    ['xname=a; name.x=b', []],
    ['__proto__=a; constructor=b; name=c', ['c']],
  ])('%j has the values %j', (header, values) => {
    expect(cookieValues(header, 'name', false)).toEqual(values)
    expect(cookieValue(header, 'name', false)).toBe(values.length === 1 ? values[0] : undefined)
  })
})

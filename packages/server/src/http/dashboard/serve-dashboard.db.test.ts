import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { dashboardPaths } from '@mandate/contract/words/dashboard-paths'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { serveDashboard } from './serve-dashboard.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ publicUrl: 'http://127.0.0.1:8080' })
})
afterAll(() => server.stop())

/** Sends a request as it is written: `fetch` would change the path. */
async function send(target: string, { method = 'GET', headers = {} as Record<string, string> } = {}) {
  const { port } = new URL(server.url)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const host = '127.0.0.1:8080'
    httpRequest({ port, host: '127.0.0.1', path: target, method, headers: { host, ...headers } }, resolve)
      .on('error', reject)
      .end()
  })
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

const pathsToOpen = dashboardPaths.map((path) => path.replace('{id}', '018f3f3e-0000-7000-8000-000000000000'))

/** The file of the page's first script. */
async function scriptOf(): Promise<string> {
  const { body } = await send('/')
  return /src="(\/assets\/[^"]+\.js)"/.exec(body)?.[1] as string
}

describe('the pages', () => {
  it.each(pathsToOpen)('200 for %s with the one page, its security headers, and no caching', async (path) => {
    const { status, headers, body } = await send(`${path}?filter=x`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    expect(body).toContain('<div id="root">')
  })

  it('contains no inline script and no inline style, and loads nothing from another host', async () => {
    const { body } = await send('/')
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i)
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string)
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) {
      expect(link).toMatch(/^\/[^/]/)
      expect((await send(link)).status, link).toBe(200)
    }
  })

  it('an address with a slash at its end leads to the page, and never to another site', async () => {
    const redirects = [
      ['/agents/?filter=x', '/agents?filter=x'],
      ['/agents/a%20b/?x=1', '/agents/a%20b?x=1'],
      ['/agents/..\\evil.example/', '/agents/..%5Cevil.example'],
      ['/agents/\\evil.example/', '/agents/%5Cevil.example'],
      ['/agents/%5C%5Cevil.example/', '/agents/%5C%5Cevil.example'],
    ] as const
    for (const [target, location] of redirects)
      expect(await send(target), target).toMatchObject({ status: 302, headers: { location } })
  })

  it('304 for the page that the browser has, and HEAD has no body', async () => {
    const { headers } = await send('/agents')
    const again = await send('/agents', { headers: { 'if-none-match': headers.etag as string } })
    expect(again).toMatchObject({ status: 304, body: '' })
    const head = await send('/agents', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.headers['content-security-policy']).toBe(policy)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('405 for %s', async (method) => {
    for (const path of ['/', '/agents', '/policies/x', '/sign-in']) {
      const { status, headers } = await send(path, { method })
      expect({ status, allow: headers.allow }, path).toEqual({ status: 405, allow: 'GET, HEAD' })
    }
  })

  const nowhere = ['/nowhere', '/join/x', '/agents/x/y', '//agents', '//evil.example/agents', '/AGENTS', '/index.htm']

  it.each(nowhere)(
    '404 with the page for a browser that opens %s, so that the dashboard says what to do',
    async (path) => {
      const { status, headers, body } = await send(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
      expect(headers).toMatchObject({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
      expect(body).toContain('<div id="root">')
    },
  )

  it.each([
    ...nowhere.map((path) => [path, '*/*']),
    ['/nowhere', 'application/json'],
    ['/api/v1/nowhere', 'text/html'],
    ['/assets/nowhere.js', 'text/html'],
  ])('404 in JSON for %s and %s', async (path, accept) => {
    const { status, body } = await send(path, { headers: { accept } })
    expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: { error: 'no such path' } })
  })
})

it.each([
  ['/agents/', '/agents'],
  ['/agents//', '/agents'],
  ['/sign-in/complete/?code=x', '/sign-in/complete?code=x'],
  ['/agents/x/', '/agents/x'],
  ['/docs/', '/docs'],
  ['/getting-started/?x=1', '/getting-started?x=1'],
  ['http://evil.example/agents/', '/agents'],
])('302 for %s, which ends with a slash', async (path, location) => {
  const { status, headers } = await send(path)
  expect({ status, location: headers.location }).toEqual({ status: 302, location })
})

describe('the files', () => {
  it('have a hash in their names and are cached for a year, with brotli for browsers that accept it', async () => {
    const script = await scriptOf()
    expect(script).toMatch(/-[\w-]{8}\.js$/)
    const plain = await send(script)
    expect(plain.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': policy,
      vary: 'accept-encoding',
    })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const answer = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } })
    expect(answer.headers.get('content-encoding')).toBe('br')
    expect(answer.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(plain.body.length / 2)
    expect(await answer.text()).toBe(plain.body)
    expect((await send(script, { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']).toBe('gzip')
  })

  it('are not cached without a hash', async () => {
    for (const path of ['/theme.js', '/icon.svg', '/layers.css']) {
      const { status, headers } = await send(path)
      expect({ status, cache: headers['cache-control'] }, path).toEqual({ status: 200, cache: 'no-cache' })
    }
  })

  it.each([
    '/assets',
    '/assets/',
    '/assets/x.js',
    '/assets/..',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%5c..%5cpackage.json',
    '/assets/../../../../../../../../etc/passwd',
    '/../package.json',
    '/%2e%2e%2fpackage.json',
    '/assets//index.html',
    '/assets/x%00.js',
    '/package.json',
  ])('no file for %s', async (path) => {
    const { status, body } = await send(path)
    expect([400, 404]).toContain(status)
    expect(JSON.parse(body)).toEqual({ error: expect.any(String) })
  })
})

describe('another name of the same machine', () => {
  const location = async (target: string, host: string) => {
    const { status, headers } = await send(target, { headers: { host } })
    return status === 302 ? headers.location : status
  }

  it.each(['localhost:8080', '[::1]:8080'])(
    '302 from %s to the address of PUBLIC_URL, with path and query',
    async (host) => {
      expect(await location('/join?token=abc', host)).toBe('http://127.0.0.1:8080/join?token=abc')
      expect(await location('/', host)).toBe('http://127.0.0.1:8080/')
    },
  )

  it('never leads to another site', async () => {
    expect(await location('http://evil.example/agents?x=1', 'localhost:8080')).toBe('http://127.0.0.1:8080/agents?x=1')
    expect(await location('//evil.example/agents', 'localhost:8080')).toBe(404)
    expect(await location('/agents/%2F%2Fevil.example', 'localhost:8080')).toBe(
      'http://127.0.0.1:8080/agents/%2F%2Fevil.example',
    )
  })

  it('200 for a name that is not of this machine, such as that of a proxy', async () => {
    expect(await location('/agents', 'mandate.example.com')).toBe(200)
    expect(await location('/agents', '127.0.0.1:8080')).toBe(200)
  })

  it.each(['localhost', '127.0.0.1:9090', 'localhost:9090', '[::1]:80'])(
    '200 for another port, because a proxy that sends %s for every request would redirect for ever',
    async (host) => expect(await location('/agents', host)).toBe(200),
  )
})

it('503 with what to do, if the dashboard is not built', async () => {
  const app = fastify()
  serveDashboard(app, { publicUrl: 'http://127.0.0.1:8080' }, '/nonexistent/')
  const { statusCode, body } = await app.inject({ url: '/agents', headers: { host: '127.0.0.1:8080' } })
  expect({ statusCode, body }).toEqual({
    statusCode: 503,
    body: 'the dashboard is not built: run npm run build:web, and start the server again',
  })
  await app.close()
})

describe('with a path in PUBLIC_URL', () => {
  const app = fastify()
  serveDashboard(app, { publicUrl: 'https://host.example/gov' })
  afterAll(() => app.close())

  it('the addresses in the page and redirects begin with the path', async () => {
    const { body, headers } = await app.inject({ url: '/agents', headers: { host: 'host.example' } })
    const addresses = [...body.matchAll(/ (?:href|src)="([^"]+)"/g)].map((match) => match[1])
    expect(addresses.length).toBeGreaterThan(3)
    for (const address of addresses) expect(address).toMatch(/^\/gov\/[\w./-]+$/)
    expect(headers).toMatchObject({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
    const redirect = await app.inject({ url: '/agents/?x=1', headers: { host: 'host.example' } })
    expect(redirect.headers.location).toBe('/gov/agents?x=1')
  })
})

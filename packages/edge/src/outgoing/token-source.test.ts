import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ClientCredentials, TokenSource, type TokenTiming } from './token-source.ts'

const quick: TokenTiming = {
  requestMs: 300,
  patienceMs: 1_000,
  firstWaitMs: 10,
  firstQuietMs: 200,
  longestQuietMs: 400,
}
const clientSecret = 'the-secret-of-the-client'

/** An authorization server that answers each request by the script. */
async function startAuthorization(answer: (response: ServerResponse, count: number, request: IncomingMessage) => void) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    request.resume()
    answer(response, asked.length, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  const source = (more: Partial<ClientCredentials> = {}, now?: () => number) =>
    new TokenSource({ tokenUrl, clientId: 'edge', clientSecret, isPrivateAllowed: true, ...more }, quick, now)
  return { asked, tokenUrl, source }
}

const ok = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const token = (number: number, rest: object = { expires_in: 3600 }) => ({
  access_token: `token-${number}`,
  token_type: 'Bearer',
  ...rest,
})
const failureOf = (asked: Promise<string>) =>
  asked.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

test('concurrent callers share one request, and later ones its token', async () => {
  const { asked, source } = await startAuthorization((response, count) =>
    setTimeout(() => ok(response, token(count)), 30),
  )
  const tokens = source({ scope: 'read' })
  expect(await Promise.all(Array.from({ length: 20 }, () => tokens.token()))).toEqual(Array(20).fill('token-1'))
  expect(await tokens.token()).toBe('token-1')
  expect(asked).toHaveLength(1)
  const [, basic = ''] = asked[0]?.headers.authorization?.split(' ') ?? []
  expect(Buffer.from(basic, 'base64').toString()).toBe(`edge:${clientSecret}`)
})

test('renews a token before it expires, while callers use it; keeps it until it expires if that fails', async () => {
  let nowMs = 0
  let isDown = false
  const { asked, source } = await startAuthorization((response, count) =>
    isDown ? void response.writeHead(503).end() : ok(response, token(count, { expires_in: 100 })),
  )
  const tokens = source({}, () => nowMs)
  expect(await tokens.token()).toBe('token-1')
  nowMs = 69_000
  expect(await tokens.token()).toBe('token-1')
  expect(asked).toHaveLength(1)
  nowMs = 71_000
  expect(await tokens.token()).toBe('token-1')
  await expect.poll(() => tokens.token()).toBe('token-2')
  isDown = true
  nowMs += 71_000
  expect(await tokens.token()).toBe('token-2')
  await expect.poll(() => asked.length).toBe(5)
  expect(await tokens.token()).toBe('token-2')
  nowMs += 40_000
  expect(await failureOf(tokens.token())).toContain('HTTP status 503')
})

test('tries again after a failure that may pass', async () => {
  const { asked, source } = await startAuthorization((response, count) =>
    count === 1 ? response.destroy() : count === 2 ? void response.writeHead(503).end() : ok(response, token(count)),
  )
  expect(await source().token()).toBe('token-3')
  expect(asked).toHaveLength(3)
})

test('after failures it asks at growing intervals, and callers in between fail at once', async () => {
  let nowMs = 0
  const { asked, source } = await startAuthorization((response) => void response.writeHead(401).end())
  const tokens = source({}, () => nowMs)
  const askedAfter = async (ms: number) => {
    nowMs += ms
    expect(await failureOf(tokens.token())).toBe('the authorization server answered with HTTP status 401')
    return asked.length
  }
  expect([await askedAfter(0), await askedAfter(100), await askedAfter(101)]).toEqual([1, 1, 2])
  expect([await askedAfter(201), await askedAfter(200)]).toEqual([2, 3])
  expect([await askedAfter(399), await askedAfter(2)]).toEqual([3, 4])
})

test('gives up on an endpoint that hangs, before or within its answer', async () => {
  for (const begins of [false, true]) {
    const { source } = await startAuthorization((response) => {
      if (begins) response.writeHead(200).write('{')
    })
    expect(await failureOf(source().token())).toBe('the authorization server did not answer in time')
  }
})

test('after the first request was not answered, the next one gets the rest of the time', async () => {
  const { asked, source } = await startAuthorization((response, count) => {
    if (count > 1) ok(response, token(count))
  })
  expect(await source().token()).toBe('token-2')
  expect(asked).toHaveLength(2)
})

test.each<[what: string, answer: (response: ServerResponse) => void, says: string]>([
  ['an answer of 1 MB', (response) => void response.end('x'.repeat(1 << 20)), 'more than 65536 bytes'],
  [
    'an endless answer',
    (response) => void setInterval(() => response.write('x'.repeat(50_000)), 1).unref(),
    'more than',
  ],
  ['an answer without a token', (response) => ok(response, { token_type: 'Bearer' }), 'returned no bearer token'],
  ['another kind of token', (response) => ok(response, { ...token(1), token_type: 'mac' }), 'returned no bearer token'],
  ['a token with a line break', (response) => ok(response, { ...token(1), access_token: 'a\nb' }), 'no bearer token'],
  ['an answer that is not JSON', (response) => void response.end('access_token=a'), 'returned no bearer token'],
  ['a refusal', (response) => void response.writeHead(400).end('{"error":"invalid_client"}'), 'HTTP status 400'],
])('refuses %s, and asks only once', async (_what, answer, says) => {
  const { asked, source } = await startAuthorization(answer)
  const message = await failureOf(source().token())
  expect(message).toContain(says)
  expect(message).not.toContain(clientSecret)
  expect(asked).toHaveLength(1)
})

test.each([301, 302, 307, 308])('does not follow a redirect with status %i to another host', async (status) => {
  const other = await startAuthorization((response) => ok(response, token(1)))
  const { source } = await startAuthorization(
    (response) => void response.writeHead(status, { location: other.tokenUrl }).end(),
  )
  expect(await failureOf(source().token())).toContain('does not follow redirects')
  await pause(20)
  expect(other.asked).toEqual([])
})

test('connects to an address in a private network only if that is allowed', async () => {
  const { asked, tokenUrl, source } = await startAuthorization((response, count) => ok(response, token(count)))
  const { port } = new URL(tokenUrl)
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    const refused = source({ isPrivateAllowed: false, tokenUrl: `http://${host}:${port}/token` })
    expect(await failureOf(refused.token()), host).toContain('private network')
  }
  expect(await failureOf(source({ tokenUrl: 'http://169.254.169.254/token' }).token())).toContain('private network')
  expect(asked).toEqual([])
  expect(await source({ tokenUrl: `http://localhost:${port}/token` }).token()).toBe('token-1')
  expect(await source({ isPrivateAllowed: undefined }).token()).toBe('token-2')
})

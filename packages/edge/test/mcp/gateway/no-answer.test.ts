import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { asRefusal } from '../../../src/mcp/gateway/explain-no-answer.ts'
import type { ServerConfig } from '../../../src/mcp/gateway.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { policyGuard, rulesFor } from '../testing/policy-guard.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write' } }

/** Starts a server that does `then` once it has read a whole request. */
async function startServer(then: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      if (/\}\}\]?$/.test(text)) then(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function callOnce(config: ServerConfig) {
  const world = await startWorld({ files: config })
  onTestFinished(world.close)
  const answer = await world.send('files', { method: 'POST', body: JSON.stringify(call) })
  const { id, error } = await answer.json()
  expect([id, error.code]).toEqual([1, -32011])
  return [answer.status, error.message]
}

const effect = 'The request may have taken effect'
const empty = (status: string) => (socket: Socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)

it.each<[string, (socket: Socket) => void, number, string]>([
  [
    'ends',
    (socket) => socket.end(),
    502,
    `The connection to the tool server broke before it answered (ECONNRESET). ${effect}`,
  ],
  [
    'resets the connection',
    (socket) => socket.resetAndDestroy(),
    502,
    `The connection to the tool server broke before it answered (ECONNRESET). ${effect}`,
  ],
  [
    'answers in another protocol',
    (socket) => socket.end('hello\n'),
    502,
    `The tool server gave no valid HTTP answer (HPE_INVALID_CONSTANT): the server does not answer in HTTP at this port: use an address with https://, or another port. ${effect}`,
  ],
  ['is silent', () => {}, 504, `The tool server took too long to answer. ${effect}`],
  [
    'answers without a body',
    empty('204 No Content'),
    502,
    `The tool server sent no valid answer to the request (status 204). ${effect}`,
  ],
  [
    'answers 200 with an empty body',
    empty('200 OK'),
    502,
    `The tool server sent no valid answer to the request (status 200). ${effect}`,
  ],
])(
  'says that a request may have taken effect if the server %s after it read the request',
  async (_what, then, ...expected) => {
    const url = `http://${await startServer(then)}`
    expect(await callOnce({ url, ...(expected[0] === 504 && { timeoutMs: 2000 }) })).toEqual(expected)
  },
)

it('does not say so if the request was not sent', async () => {
  expect(await callOnce({ url: 'http://127.0.0.1:1/' })).toEqual([
    502,
    'The tool server cannot be reached (ECONNREFUSED)',
  ])
})

it('says what to do if the server does not use TLS, or refuses the TLS connection', async () => {
  const plain = createServer((socket) => void socket.on('error', () => {}).end('hello\n')).listen(0, '127.0.0.1')
  const withoutCertificate = createTlsServer({})
    .on('tlsClientError', () => {})
    .listen(0, '127.0.0.1')
  for (const [server, code, remedy] of [
    [plain, 'WRONG_VERSION_NUMBER', 'use an address with http://'],
    [withoutCertificate, 'HANDSHAKE_FAILURE', 'the server refused the TLS connection'],
  ] as const) {
    if (!server.listening) await once(server, 'listening')
    onTestFinished(() => void server.close())
    const [status, message] = await callOnce({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
    expect(status).toBe(502)
    expect(message).toMatch(/^The tool server cannot be reached \(ERR_SSL_[A-Z0-9_/]+\): /)
    expect(message).toContain(code)
    expect(message).toContain(remedy)
  }
})

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate of the server is not trusted'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'the server refused the TLS connection'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'or it needs a client certificate'],
])('names the code %s and its remedy', (code, remedy) => {
  const { message } = asRefusal(Object.assign(new Error('connect to http://h/secret'), { code }))
  expect(message).toContain(`The tool server cannot be reached (${code}): `)
  expect(message).toContain(remedy)
})

it('leaves out the text of an error without a code, which may have a secret part of an address', () => {
  expect(asRefusal(new Error('connect to http://h/secret')).message).toBe('The tool server cannot be reached')
})

const page = '<h1>broken</h1>'
const deep = `${'['.repeat(150)}${']'.repeat(150)}`
const body = `[{"jsonrpc":"2.0","id":1,"result":{"a":${deep}}},{"jsonrpc":"2.0","id":3,"result":{}}]`

it.each<[string, (socket: Socket) => void, number, string]>([
  ['cannot be reached', () => {}, 502, 'The tool server cannot be reached (ECONNREFUSED)'],
  [
    'sends what the edge refuses',
    (socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    502,
    'The edge did not forward the answer of the tool server, and the request may have taken effect: ',
  ],
  [
    'answers with the page of an error',
    (socket) =>
      socket.end(`HTTP/1.1 500 Broken\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`),
    500,
    'The tool server sent no valid answer to the request (status 500)',
  ],
  ['is silent while the edge stops', () => {}, 503, `before the tool server answered. ${effect}`],
])(
  'answers each request of a batch if the server %s, and those that the policy denies',
  async (what, then, status, why) => {
    const reached = Promise.withResolvers<void>()
    const address = await startServer((socket) => {
      reached.resolve()
      then(socket)
    })
    const url = what === 'cannot be reached' ? 'http://127.0.0.1:1/' : `http://${address}`
    const guard = policyGuard(rulesFor({ 'mcp:files/drop': 'deny', '*': 'allow' }))
    const world = await startWorld({ files: { url } }, { guard, limits: { drainMs: 20 } })
    onTestFinished(world.close)
    const batch = [call, { ...call, id: 2, params: { name: 'drop' } }, { ...call, id: 3 }]
    const sent = world.send('files', { method: 'POST', body: JSON.stringify(batch) })
    if (what.includes('stops')) await reached.promise.then(world.close)
    const answer = await sent
    expect(answer.status).toBe(status)
    const answers: { id: number; error?: object }[] = await answer.json()
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    for (const id of [1, 3]) {
      const message = expect.stringContaining(why)
      expect(answers.find((one) => one.id === id)).toMatchObject({ error: { code: -32011, message } })
    }
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { isError: true } })
  },
)

const answerTo1 = '{"jsonrpc":"2.0","id":1,"result":{}}'
const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === 1 || method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
})`

it.each([
  [
    'a url',
    async () => ({ url: `http://${await startServer((socket) => socket.write(`${stream}data: ${answerTo1}\n\n`))}` }),
  ],
  ['a command', async () => ({ command: process.execPath, args: ['-e', program], env: {} })],
])('a request that was answered on a stream gets no second answer when the edge stops: %s', async (_what, config) => {
  const world = await startWorld({ files: await config() }, { limits: { drainMs: 20 } })
  onTestFinished(world.close)
  const post = (body: object, headers = {}) =>
    world.send('files', { method: 'POST', body: JSON.stringify(body), headers })
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  const opened = 'url' in (await config()) ? null : await post({ jsonrpc: '2.0', id: 9, method: 'initialize', params })
  const session = opened?.headers.get('mcp-session-id')
  const answer = await post([call, { ...call, id: 2 }], session ? { 'mcp-session-id': session } : {})
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('"id":1')) text += (await reader?.read())?.value ?? ''
  const closed = world.close()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  await closed
  const ids = [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id)
  expect(ids).toEqual(['1', '2'])
})

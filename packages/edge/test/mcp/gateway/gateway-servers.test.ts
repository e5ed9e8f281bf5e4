import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../testing/gateway-world.ts'
import { answerJson, startScripted } from '../testing/scripted-upstream.ts'

const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }

async function startUpstream() {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  return upstream
}

/** An authorization server that gives one client a new token each time. */
async function startAuthorization() {
  const asked: { authorization: string | undefined; form: string }[] = []
  const server = createServer(async (request, response) => {
    const form = Buffer.concat(await request.toArray()).toString()
    asked.push({ authorization: request.headers.authorization, form })
    const token = { access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 3600 }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { tokenUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, asked }
}

it('the edge fetches a token for a server, caches it, and fetches another when it is refused', async () => {
  const upstream = await startUpstream()
  const { tokenUrl, asked } = await startAuthorization()
  const oauth = { tokenUrl, clientId: 'edge', clientSecret: 'a:b', scope: 'mcp' }
  const world = await startWorld({ files: { url: upstream.url, oauth } })
  onTestFinished(world.close)
  const ok = answerJson('{"jsonrpc":"2.0","id":1,"result":{}}')
  for (let n = 0; n < 2; n++) expect((await world.send('files', ping)).status).toBe(200)
  expect(asked).toEqual([
    {
      authorization: `Basic ${Buffer.from('edge:a%3Ab').toString('base64')}`,
      form: 'grant_type=client_credentials&scope=mcp',
    },
  ])
  upstream.script((response, request) =>
    request.headers.authorization === 'Bearer token-2' ? ok(response) : void response.writeHead(401).end(),
  )
  expect((await world.send('files', ping)).status).toBe(200)
  expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
})

it('504 if a server exceeds its time limit', async () => {
  const upstream = await startUpstream()
  upstream.script(() => {})
  const world = await startWorld({ files: { url: upstream.url, timeoutMs: 50 } })
  onTestFinished(world.close)
  expect((await world.send('files', ping)).status).toBe(504)
})

it('servers can be replaced without a restart, and streams of a removed one end', async () => {
  const upstream = await startUpstream()
  const world = await startWorld({ stays: { url: upstream.url }, goes: { url: upstream.url } })
  onTestFinished(world.close)
  upstream.script((response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders())
  const stream = await world.send('goes', { method: 'GET' })
  await world.replaceServers({ stays: { url: upstream.url }, comes: { url: upstream.url } })
  await expect(stream.text()).rejects.toThrow()
  upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
  const statusOf = async (server: string) => (await world.send(server, ping)).status
  expect([await statusOf('stays'), await statusOf('comes'), await statusOf('goes')]).toEqual([200, 200, 404])
  await expect(world.replaceServers({ 'a/b': { url: upstream.url } })).rejects.toThrow(TypeError)
  expect(await statusOf('comes')).toBe(200)
})

it('a gateway on all addresses accepts only the address that the client connected to as host', async () => {
  const upstream = await startUpstream()
  const world = await startWorld({ files: { url: upstream.url } }, { host: '0.0.0.0' })
  onTestFinished(world.close)
  const statusFor = async (address: string, host: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${world.token}`, host }
    const { port } = new URL(world.url)
    const outgoing = request({ host: address, port, path: '/mcp/files', method: 'POST', headers })
    outgoing.end(ping.body)
    const [answer] = await once(outgoing, 'response')
    answer.resume()
    return answer.statusCode
  }
  expect(await statusFor('127.0.0.2', '127.0.0.2:8090')).toBe(200)
  expect(await statusFor('127.0.0.2', '127.0.0.3:8090')).toBe(403)
  expect(await statusFor('127.0.0.2', 'evil.example')).toBe(403)
})

it('the gateway accepts its own address as host', async () => {
  const upstream = await startUpstream()
  const world = await startWorld({ files: { url: upstream.url } }, { host: '127.0.0.2' })
  onTestFinished(world.close)
  expect((await world.send('files', ping)).status).toBe(200)
})

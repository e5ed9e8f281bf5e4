import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
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

it('servers can be replaced without a restart, and a stream on which a client listens to a removed one ends', async () => {
  const upstream = await startUpstream()
  const world = await startWorld({ stays: { url: upstream.url }, goes: { url: upstream.url } })
  onTestFinished(world.close)
  upstream.script((response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders())
  const stream = await world.send('goes', { method: 'GET' })
  await world.replaceServers({ stays: { url: upstream.url }, comes: { url: upstream.url } }).left
  expect(await stream.text()).toBe('')
  upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
  const statusOf = async (server: string) => (await world.send(server, ping)).status
  expect([await statusOf('stays'), await statusOf('comes'), await statusOf('goes')]).toEqual([200, 200, 404])
  expect(() => world.replaceServers({ 'a/b': { url: upstream.url } })).toThrow(TypeError)
  expect(await statusOf('comes')).toBe(200)
})

describe('calls in flight to a server that is changed or removed', () => {
  const call = { method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write"}}' }

  it('finish, and new calls go to the new server', async () => {
    const [old, next] = [await startUpstream(), await startUpstream()]
    const reached = Promise.withResolvers<ServerResponse>()
    old.script((response) => reached.resolve(response))
    const world = await startWorld({ files: { url: old.url } })
    onTestFinished(world.close)
    const answer = world.send('files', call)
    const response = await reached.promise
    const replaced = world.replaceServers({ files: { url: next.url } }).left
    expect((await world.send('files', ping)).status).toBe(200)
    expect([old.received.length, next.received.length]).toEqual([1, 1])
    answerJson('{"jsonrpc":"2.0","id":7,"result":{"ok":true}}')(response)
    expect(await (await answer).json()).toEqual({ jsonrpc: '2.0', id: 7, result: { ok: true } })
    await replaced
  })

  it('of a started server finish too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-reload-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const program = `
      const fs = require('node:fs')
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const answer = () => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
        if (method === 'initialize') return answer()
        const timer = setInterval(() => fs.existsSync(process.argv[1] + '/go') && (clearInterval(timer), answer()), 10)
      })`
    const world = await startWorld({ files: { command: process.execPath, args: ['-e', program, folder], env: {} } })
    onTestFinished(world.close)
    const opened = await world.send('files', { ...ping, body: ping.body.replace('ping', 'initialize') })
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    const answer = await world.send('files', { ...call, headers })
    const replaced = world.replaceServers({}).left
    await writeFile(join(folder, 'go'), '')
    expect(await answer.text()).toContain('{"jsonrpc":"2.0","id":7,"result":{}}')
    await replaced
  })

  it('get an error that says whether they may have taken effect, if they do not finish in the drain time', async () => {
    const upstream = await startUpstream()
    const reached = Promise.withResolvers<void>()
    upstream.script(() => reached.resolve())
    const asked = Promise.withResolvers<void>()
    const before = ({ tool }: { tool: string }) => {
      if (tool === 'mcp:files/write') return Promise.resolve()
      asked.resolve()
      return new Promise(() => {})
    }
    const guard = policyGuard(allowAll, { before })
    const world = await startWorld({ files: { url: upstream.url } }, { guard, limits: { drainMs: 50 } })
    onTestFinished(world.close)
    const sent = world.send('files', call)
    const undecided = world.send('files', { ...call, body: call.body.replace('write', 'wait') })
    await Promise.all([reached.promise, asked.promise])
    await world.replaceServers({}).left
    const changed = 'The servers file of the edge changed before the tool server answered.'
    for (const [answer, effect, after] of [
      [await sent, 'The request may have taken effect', null],
      [await undecided, 'The request did not reach the tool server', '1'],
    ] as const) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, after])
      expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32011, message: `${changed} ${effect}` } })
    }
    expect(upstream.received).toHaveLength(1)
  })

  it('do not reach the old server if they are decided after the change', async () => {
    const upstream = await startUpstream()
    const asked = Promise.withResolvers<void>()
    const decided = Promise.withResolvers<void>()
    const before = () => {
      asked.resolve()
      return decided.promise
    }
    const guard = policyGuard(allowAll, { before })
    const world = await startWorld({ files: { url: upstream.url } }, { guard, limits: { drainMs: 600_000 } })
    onTestFinished(world.close)
    const answer = world.send('files', call)
    await asked.promise
    const { left } = world.replaceServers({})
    decided.resolve()
    expect([(await answer).status, (await answer).headers.get('retry-after')]).toEqual([503, '1'])
    const message = expect.stringContaining('The request did not reach the tool server')
    expect(await (await answer).json()).toMatchObject({ id: 7, error: { code: -32011, message } })
    await left
    expect(upstream.received).toEqual([])
  })

  it('end without an error of the edge if the client reads slowly', async () => {
    const [loud, other] = [await startUpstream(), await startUpstream()]
    const note = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(2000)}"}}\n\n`
    loud.script((response) => {
      const fill = () => {
        while (!response.destroyed && response.write(note));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).on('drain', fill)
      fill()
    })
    const servers = { files: { url: loud.url }, other: { url: other.url } }
    const world = await startWorld(servers, { limits: { drainMs: 20 } })
    onTestFinished(world.close)
    const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
    const listening = request(`${world.url}/mcp/files`, { method: 'POST', headers }).end(call.body)
    const [stream] = await once(listening, 'response')
    stream.pause().on('error', () => {})
    const { left } = world.replaceServers({ other: servers.other })
    stream.once('readable', () => stream.resume())
    await left
    expect((await world.send('other', ping)).status).toBe(200)
    stream.destroy()
  })

  it('end when the gateway closes, and so do their servers', async () => {
    const upstream = await startUpstream()
    const reached = Promise.withResolvers<void>()
    upstream.script(() => reached.resolve())
    const world = await startWorld({ files: { url: upstream.url } }, { limits: { drainMs: 50 } })
    const answer = world.send('files', call)
    await reached.promise
    const ended = [world.replaceServers({}).left, world.close()]
    expect((await answer).status).toBe(503)
    await Promise.all(ended)
  })

  it('tell nothing about the tools of the new server', async () => {
    const upstream = await startUpstream()
    const reached = Promise.withResolvers<ServerResponse>()
    upstream.script((response) => reached.resolve(response))
    const world = await startWorld({ files: { url: upstream.url } })
    onTestFinished(world.close)
    const answer = world.send('files', { ...ping, body: ping.body.replace('ping', 'tools/list') })
    const response = await reached.promise
    const replaced = world.replaceServers({ files: { url: upstream.url, timeoutMs: 60_000 } }).left
    answerJson('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"old","inputSchema":{}}]}}')(response)
    expect(await (await answer).text()).toContain('old')
    await replaced
    expect(world.guard.noted).toEqual([])
    expect(world.guard.attested.flatMap(({ tools }) => tools)).toEqual([])
  })
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

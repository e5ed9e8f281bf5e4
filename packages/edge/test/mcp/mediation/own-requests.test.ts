import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PolicyDocument } from '@mandate/policy/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkMessage } from '../../../src/mcp/mediation/check-message.ts'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { policyGuard } from '../testing/policy-guard.ts'
import { answerStream, startScripted } from '../testing/scripted-upstream.ts'
import { statelessHeaders, statelessMeta } from '../testing/stateless-request.ts'
import { startStdio } from '../testing/stdio-world.ts'

const denySecrets: PolicyDocument = {
  default_effect: 'allow',
  rules: [
    {
      id: 'r1',
      name: 'paths',
      priority: 1,
      enabled: true,
      effect: 'deny',
      reason: '',
      match: { tools: ['*'], when: [{ path: 'args.path', op: 'under', value: '/secrets' }] },
    },
  ],
}
const closing = { code: 'no_profile', reason: 'a test closed it' } as const
const tool = (name: string, ...names: string[]) => ({
  name,
  inputSchema: { type: 'object', properties: Object.fromEntries(names.map((one) => [one, {}])) },
})
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read', arguments: { path: '/public' } } }
const post = async (world: GatewayWorld, message: object = call) =>
  (await world.send('files', { method: 'POST', body: JSON.stringify(message) })).text()

/** A tool server at an address. The test supplies its answers to `tools/list`. */
async function startListing(list: () => object) {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  upstream.script((response, { body }) => {
    const { id, method } = JSON.parse(body)
    const result = method === 'tools/list' ? list() : { content: [{ type: 'text', text: 'reached' }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  return { url: upstream.url, received: upstream.received }
}

describe('requests of the edge to a tool server', () => {
  it('stop between two pages when the edge closes, and are not sent while it is closed', async () => {
    const guard = policyGuard(denySecrets)
    const { url, received } = await startListing(() => {
      guard.shut(closing)
      return { tools: [], nextCursor: 'next' }
    })
    const world = await startWorld({ files: { url } }, { guard })
    onTestFinished(world.close)
    for (let n = 0; n < 2; n++) expect(await post(world)).toContain('a test closed it')
    expect(received.map(({ body }) => JSON.parse(body).method)).toEqual(['tools/list'])
  })

  it('tell the tool server nothing of a call that is not decided yet but its revision and its known capabilities', async () => {
    const { url, received } = await startListing(() => ({ tools: [tool('read', 'path')] }))
    const world = await startWorld({ files: { url } }, { guard: policyGuard(denySecrets) })
    onTestFinished(world.close)
    const _meta = {
      ...statelessMeta,
      'io.modelcontextprotocol/clientInfo': { name: 'a secret', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: { note: 'a secret' }, 'a secret': {} },
      'io.modelcontextprotocol/notes': 'a secret',
    }
    const params = { name: 'read', arguments: { path: '/secrets/a' }, _meta }
    const headers = { ...statelessHeaders('tools/call'), 'mcp-name': 'read' }
    const body = JSON.stringify({ ...call, params })
    expect(await (await world.send('files', { method: 'POST', body, headers })).text()).toContain('paths')
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'mandate-edge' },
            'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
          },
        },
      },
    ])
    expect(received[0]?.body).not.toContain('a secret')
  })

  it('are answered on a stdio edge if the answer is in a batch with another message', async () => {
    const batching = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const result = method === 'tools/list' ? { tools: [{ name: 'read', inputSchema: { properties: { path: {} } } }] } : { reached: true }
        const told = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: method } }
        console.log(JSON.stringify([told, { jsonrpc: '2.0', id, result }]))
      })`
    const { send, receive, stdin, code } = startStdio(batching, { guard: policyGuard(denySecrets) })
    send(call)
    expect(await receive()).toMatchObject([{ params: { data: 'tools/list' } }])
    expect(await receive()).toMatchObject([{ params: { data: 'tools/call' } }, { id: 1, result: { reached: true } }])
    stdin.end()
    await code
  })

  it('are answered although the server asks in between, and it gets an answer', async () => {
    const guard = policyGuard(denySecrets)
    const upstream = await startScripted()
    onTestFinished(upstream.stop)
    const asking = ['ping', 'roots/list', 'vendor/unknown'].map((method) => ({ jsonrpc: '2.0', id: method, method }))
    upstream.script((response, { body }) => {
      const { id, method } = JSON.parse(body)
      if (method === undefined) return void response.writeHead(202).end()
      const result = method === 'tools/list' ? { tools: [tool('read', 'path')] } : { content: [] }
      const messages = [...(method === 'tools/list' ? asking : []), { jsonrpc: '2.0', id, result }]
      answerStream(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''))(response)
    })
    const world = await startWorld({ files: { url: upstream.url } }, { guard })
    onTestFinished(world.close)
    expect(await post(world)).toContain('"result":{"content":[]}')
    const answers = () => upstream.received.map(({ body }) => JSON.parse(body)).filter(({ method }) => !method)
    await expect.poll(() => answers().length).toBe(3)
    expect(answers().sort((a, b) => a.id.localeCompare(b.id))).toMatchObject([
      { id: 'ping', result: {} },
      { id: 'roots/list', error: { code: -32601 } },
      { id: 'vendor/unknown', error: { code: -32601 } },
    ])
  })

  it('carry the token of the edge for the server', async () => {
    const authorization = createServer((_request, response) => {
      response.writeHead(200).end('{"access_token":"mine","token_type":"Bearer"}')
    }).listen(0, '127.0.0.1')
    await once(authorization, 'listening')
    onTestFinished(() => void authorization.close())
    const tokenUrl = `http://127.0.0.1:${(authorization.address() as AddressInfo).port}`
    const { url, received } = await startListing(() => ({ tools: [tool('read', 'path')] }))
    const oauth = { tokenUrl, clientId: 'edge', clientSecret: 'secret' }
    const world = await startWorld({ files: { url, oauth } }, { guard: policyGuard(denySecrets) })
    onTestFinished(world.close)
    expect(await post(world)).toContain('reached')
    expect(received.map(({ body, headers }) => [JSON.parse(body).method, headers.authorization])).toEqual([
      ['tools/list', 'Bearer mine'],
      ['tools/call', 'Bearer mine'],
    ])
  })
})

describe('the declared arguments of tools', () => {
  it('are requested for calls of tools, and not for resources and prompts', async () => {
    const guard = policyGuard(denySecrets)
    const asked: string[] = []
    const declaredArgs = async (name: string) => {
      asked.push(name)
      return new Set(['path'])
    }
    const log = { info: () => {}, warn: () => {} }
    const passage = { guard, server: 'files', log, declaredArgs }
    const requests = [
      ['tools/call', { name: 'read', arguments: { path: '/public' } }],
      ['prompts/get', { name: 'read', arguments: { path: '/public', other: 'x' } }],
      ['resources/read', { uri: 'file:///public' }],
    ] as const
    for (const [method, params] of requests) await checkMessage(passage, { jsonrpc: '2.0', id: 1, method, params })
    expect(guard.decided.map(({ tool: name, declaredArgs: given }) => [name, given !== undefined])).toEqual([
      ['mcp:files/read', true],
      ['prompt:files/read', false],
      ['resource:files/read', false],
    ])
    expect(asked).toEqual(['mcp:files/read'])
  })

  it('count for tools after the ten thousandth of a list, which the agent does not see', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}` }))
    const { url } = await startListing(() => ({ tools: [...many, tool('read', 'paths')] }))
    const world = await startWorld({ files: { url } }, { guard: policyGuard(denySecrets) })
    onTestFinished(world.close)
    expect(await post(world)).toContain('Denied by policy')
    const list = JSON.parse(await post(world, { jsonrpc: '2.0', id: 2, method: 'tools/list' }))
    expect(list.result.tools).toHaveLength(10_000)
  })

  it('are forgotten when another server gets the name', async () => {
    const before = await startListing(() => ({ tools: [tool('read', 'path')] }))
    const after = await startListing(() => ({ tools: [tool('read', 'paths')] }))
    const world = await startWorld({ files: { url: before.url } }, { guard: policyGuard(denySecrets) })
    onTestFinished(world.close)
    expect(await post(world)).toContain('reached')
    await world.replaceServers({ files: { url: after.url } }).left
    expect(await post(world)).toContain('Denied by policy')
  })
})

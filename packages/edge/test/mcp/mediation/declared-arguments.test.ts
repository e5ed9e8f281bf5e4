import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effect, PolicyDocument } from '@mandate/policy/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { policyGuard } from '../testing/policy-guard.ts'
import { startScripted } from '../testing/scripted-upstream.ts'
import { filesystem } from '../testing/servers.ts'
import { startStdio } from '../testing/stdio-world.ts'

const secret = 'the pass phrase'
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'declared-')))
  await mkdir(join(folder, 'secrets'))
  await writeFile(join(folder, 'secrets/bank.txt'), secret)
  await writeFile(join(folder, 'note.txt'), 'a note')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const rule = (effect: Effect, value: string, defaultEffect: Effect): PolicyDocument => ({
  default_effect: defaultEffect,
  rules: [
    {
      id: 'r1',
      name: 'paths',
      priority: 1,
      enabled: true,
      effect,
      reason: '',
      match: { tools: ['mcp:files/*'], when: [{ path: 'args.path', op: 'under', value }] },
    },
  ],
})
const denySecrets = () => rule('deny', join(folder, 'secrets'), 'allow')
const allowFolder = () => rule('allow', folder, 'deny')

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const decoy = () =>
  call('read_multiple_files', { paths: [join(folder, 'secrets/bank.txt')], path: join(folder, 'note.txt') })
const honest = () => call('read_text_file', { path: join(folder, 'note.txt') })

async function post(world: GatewayWorld, message: object, headers: Record<string, string> = {}) {
  const answer = await world.send('files', { method: 'POST', body: JSON.stringify(message), headers })
  return { status: answer.status, text: await answer.text(), session: answer.headers.get('mcp-session-id') ?? '' }
}

describe.each([
  ['a deny on path', denySecrets],
  ['an allow on path', allowFolder],
])('denies an undeclared argument that a rule has a condition on, under %s', (_, document) => {
  it('is denied for a started server although the client never listed its tools', async () => {
    const files = { command: process.execPath, args: [filesystem, folder], env: {} }
    const world = await startWorld({ files }, { guard: policyGuard(document()) })
    try {
      const { session } = await post(world, initialize)
      const headers = { 'mcp-session-id': session }
      const { text } = await post(world, decoy(), headers)
      expect(text).toContain('Denied by policy')
      expect(text).not.toContain(secret)
      expect((await post(world, honest(), headers)).text).toContain('a note')
    } finally {
      await world.close()
    }
  })

  it('is denied by a stdio edge, and the client does not see the list that the edge requested', async () => {
    const guard = policyGuard(document())
    const { send, receive, stdin, code } = startStdio('', { guard, args: [filesystem, folder] })
    send(initialize)
    expect(await receive()).toMatchObject({ id: 0 })
    send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    send(decoy())
    const denied = await receive()
    expect(denied).toMatchObject({ id: 1, result: { isError: true } })
    expect(JSON.stringify(denied)).not.toContain(secret)
    send({ ...honest(), id: 2 })
    expect(JSON.stringify(await receive())).toContain('a note')
    stdin.end()
    expect(await receive()).toBeNull()
    await code
  })
})

describe('a tool server at an address', () => {
  type Answer = (message: { id: unknown; method: string; params?: { cursor?: string } }) => object | number | string

  async function withServer(answer: Answer, use: (world: GatewayWorld, asked: () => string[]) => Promise<void>) {
    const upstream = await startScripted()
    upstream.script((response, { body }) => {
      const message = JSON.parse(body)
      const said = message.method === 'tools/call' ? { result: { content: [], reached: true } } : answer(message)
      if (typeof said === 'number') return void response.writeHead(said).end()
      const text = typeof said === 'string' ? said : JSON.stringify({ jsonrpc: '2.0', id: message.id, ...said })
      const type = typeof said === 'string' ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type }).end(text)
    })
    const world = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(denySecrets()) })
    try {
      await use(world, () => upstream.received.map(({ body }) => JSON.parse(body).method))
    } finally {
      await world.close()
      await upstream.stop()
    }
  }

  const tool = (name: string, ...names: string[]) => ({
    name,
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((one) => [one, {}])) },
  })
  const listed = { result: { tools: [tool('read_multiple_files', 'paths'), tool('read_text_file', 'path')] } }

  it('is asked for its tools once, before the first call with a rule on arguments', () =>
    withServer(
      () => listed,
      async (world, asked) => {
        expect((await post(world, decoy())).text).toContain('Denied by policy')
        expect((await post(world, honest())).text).toContain('reached')
        expect((await post(world, call('unknown', { path: '/ok' }))).text).toContain('reached')
        expect(asked()).toEqual(['tools/list', 'tools/call', 'tools/list', 'tools/call'])
      },
    ))

  it('is asked once for many concurrent calls', () =>
    withServer(
      () => listed,
      async (world, asked) => {
        await Promise.all(Array.from({ length: 20 }, () => post(world, decoy())))
        expect(asked()).toEqual(['tools/list'])
      },
    ))

  it('is not asked if the client has listed the tools, or if no rule has conditions on arguments', () =>
    withServer(
      () => listed,
      async (world, asked) => {
        await post(world, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
        expect((await post(world, decoy())).text).toContain('Denied by policy')
        expect(asked()).toEqual(['tools/list'])
        world.guard.change({ default_effect: 'allow', rules: [] })
        expect((await post(world, decoy())).text).toContain('reached')
        expect(asked()).toEqual(['tools/list', 'tools/call'])
      },
    ))

  it('may answer page by page, and as a stream', () =>
    withServer(
      ({ id, params }) => {
        if (params?.cursor === undefined) return { result: { tools: [tool('other')], nextCursor: 'next' } }
        const told = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }
        return [told, { jsonrpc: '2.0', id, ...listed }].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
      },
      async (world, asked) => {
        expect((await post(world, decoy())).text).toContain('Denied by policy')
        expect(asked()).toEqual(['tools/list', 'tools/list'])
      },
    ))

  it('is known for a tool of an earlier page, if a later page fails', () =>
    withServer(
      ({ params }) => (params?.cursor === undefined ? { result: { ...listed.result, nextCursor: 'next' } } : 503),
      async (world) => {
        expect((await post(world, decoy())).text).toContain('Denied by policy')
        expect((await post(world, honest())).text).toContain('reached')
        expect((await post(world, call('unknown', { path: '/ok' }))).text).toContain('Denied by policy')
      },
    ))

  it.each<[string, Answer]>([
    ['has no tools/list', () => ({ error: { code: -32601, message: 'Method not found' } })],
    ['does not list the tool', () => ({ result: { tools: [tool('other', 'x')] } })],
    ['gives the tool no schema', () => ({ result: { tools: [{ name: 'read_multiple_files' }] } })],
  ])('treats no argument as undeclared if it %s', (_, answer) =>
    withServer(answer, async (world) => {
      expect((await post(world, decoy())).text).toContain('reached')
    }),
  )

  it.each<[string, Answer]>([
    ['answers with a status', () => 503],
    ['answers with an error', () => ({ error: { code: -32603, message: 'busy' } })],
    ['answers with something else', () => ({ result: {} })],
    ['answers another request', () => ({ result: {}, id: 'other' })],
    ['never ends its pages', ({ params }) => ({ result: { tools: [], nextCursor: `${params?.cursor ?? ''}x` } })],
  ])('closes on errors if it %s', (_, answer) =>
    withServer(answer, async (world) => {
      expect((await post(world, decoy())).text).toContain('Denied by policy')
      expect((await post(world, honest())).text).toContain('Denied by policy')
    }),
  )

  it('is asked again at once for a tool that it did not list before', () => {
    let tools = [tool('read_text_file', 'path')]
    return withServer(
      () => ({ result: { tools } }),
      async (world, asked) => {
        expect((await post(world, honest())).text).toContain('reached')
        tools = [...tools, tool('read_multiple_files', 'paths')]
        expect((await post(world, decoy())).text).toContain('Denied by policy')
        expect(asked()).toEqual(['tools/list', 'tools/call', 'tools/list'])
      },
    )
  })

  it('keeps its declared arguments if it cannot be asked again', () => {
    let isAway = false
    return withServer(
      () => (isAway ? 503 : listed),
      async (world) => {
        await post(world, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
        isAway = true
        expect((await post(world, honest())).text).toContain('reached')
        expect((await post(world, decoy())).text).toContain('Denied by policy')
      },
    )
  })
})

describe('a tool that has no argument that a deny rule asks about', () => {
  const listed = async (document: PolicyDocument) => {
    const files = { command: process.execPath, args: [filesystem, folder], env: {} }
    const world = await startWorld({ files }, { guard: policyGuard(document) })
    try {
      const { session } = await post(world, initialize)
      const headers = { 'mcp-session-id': session }
      const { text } = await post(world, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)
      const called = await post(world, call('list_allowed_directories', {}), headers)
      const has = (name: string) => text.includes(`"${name}"`)
      return { listed: has('list_allowed_directories'), read: has('read_text_file'), called: called.text }
    } finally {
      await world.close()
    }
  }

  it('is not in the list, because every call is denied, although the policy allows other calls', async () => {
    const found = await listed(denySecrets())
    expect(found).toMatchObject({ listed: false, read: true, called: expect.stringContaining('Denied by policy') })
  })

  it('is in the list and may be called if the rule says that an absent argument does not match', async () => {
    const document = denySecrets()
    document.rules[0]!.match.when[0]!.absent = false
    const found = await listed(document)
    expect(found).toMatchObject({ listed: true, read: true, called: expect.stringContaining(folder) })
  })

  it('is not in the list if only a rule with the argument allows it', async () => {
    expect(await listed(allowFolder())).toMatchObject({ listed: false, read: true })
  })
})

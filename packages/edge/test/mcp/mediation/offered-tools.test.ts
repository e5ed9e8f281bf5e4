import type { PolicyDocument } from '@mandate/policy/types'
import { expect, it, onTestFinished } from 'vitest'
import type { Definition } from '../../../src/guard/tool-definition.ts'
import { definitionOf } from '../../../src/inventory/definition.ts'
import { OfferedTools } from '../../../src/mcp/mediation/offered-tools.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerJson, startScripted } from '../testing/scripted-upstream.ts'

const region = { type: 'string', 'x-mcp-header': 'Region' }
const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const call = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

async function startListing() {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  const world = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(allowAll) })
  onTestFinished(world.close)
  const post = (body: string, headers = {}) => world.send('files', { method: 'POST', body, headers })
  const offer = async (tools: object[]) => {
    upstream.script(answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } })))
    await (await post(list)).text()
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
  }
  return { post, offer }
}

it('compares arguments in headers for more than a thousand tools', async () => {
  const { post, offer } = await startListing()
  await offer(Array.from({ length: 1500 }, (_, n) => ({ name: `t${n}`, inputSchema: { properties: { region } } })))
  const sent = (value: string) => post(call('t1499', { region: 'eu' }), { 'mcp-param-region': value })
  expect([(await sent('eu')).status, (await sent('us')).status]).toEqual([200, 400])
})

it('keeps a limited number of such arguments and rejects headers that it cannot compare', async () => {
  const { post, offer } = await startListing()
  for (let n = 0; n < 5; n++) {
    const properties = Array.from({ length: 500 }, (_, argument) => [`${argument}${'x'.repeat(10_000)}`, region])
    await offer([{ name: `t${n}`, inputSchema: { properties: Object.fromEntries(properties) } }])
  }
  const refused = await post(call('t4', {}), { 'mcp-param-other': 'eu' })
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    'mcp-param-other cannot be compared: the servers declare more than the edge can store',
  ])
  expect((await post(call('t4', {}))).status).toBe(200)
  expect((await post(call('t0', {}), { 'mcp-param-other': 'eu' })).status).toBe(200)
})

it('ignores the tools of a server whose name belongs to another server now', async () => {
  const when = [{ path: 'args.path', op: 'under' as const, value: '/secrets' }]
  const rule = { id: 'r', name: '', priority: 1, enabled: true, effect: 'deny' as const, reason: '' }
  const document: PolicyDocument = { default_effect: 'allow', rules: [{ ...rule, match: { tools: ['*'], when } }] }
  const read = (...names: string[]) => ({
    name: 'read',
    inputSchema: { properties: Object.fromEntries(names.map((name) => [name, {}])) },
  })
  const after = await startScripted()
  onTestFinished(after.stop)
  after.script((response, { body }) => {
    const { id, method } = JSON.parse(body)
    const result = method === 'tools/list' ? { tools: [read('paths')] } : { reached: true }
    answerJson(JSON.stringify({ jsonrpc: '2.0', id, result }))(response)
  })
  const said = JSON.stringify({ jsonrpc: '2.0', id: 9, result: { tools: [read('path', 'paths')] } })
  const program = `
    process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{}}'))
    process.stdin.on('end', () => console.log(${JSON.stringify(said)}))`
  const before = { command: process.execPath, args: ['-e', program], env: {} }
  const world = await startWorld({ files: before }, { guard: policyGuard(document) })
  onTestFinished(world.close)
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
  await (await world.send('files', { method: 'POST', body: initialize })).text()
  await world.replaceServers({ files: { url: after.url } }).left
  const body = call('read', { path: '/public', paths: ['/secrets/key'] })
  expect(await (await world.send('files', { method: 'POST', body })).text()).toContain('Denied by policy')
})

it('knows the definition of a tool only from the session in which the server declared it', async () => {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  const world = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(allowAll) })
  onTestFinished(world.close)
  const sessions = ['one', 'two', 'three']
  upstream.script((response, { body, headers }) => {
    const { id, method } = JSON.parse(body)
    const opened: Record<string, string> =
      method === 'initialize' ? { 'mcp-session-id': sessions.shift() as string } : {}
    const tools = [{ name: 'read', description: `of ${headers['mcp-session-id']}` }]
    const result = method === 'tools/list' ? { tools } : {}
    answerJson(JSON.stringify({ jsonrpc: '2.0', id, result }), 200, opened)(response)
  })
  const post = async (body: string, headers: Record<string, string>) => {
    const sent = await world.send('files', { method: 'POST', body, headers })
    await sent.text()
    return sent.headers.get('mcp-session-id') as string
  }
  const open = () => post('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}', {})
  const hashIn = async (session: string) => {
    await post(call('read', {}), { 'mcp-session-id': session })
    return world.guard.decided.at(-1)?.definition?.()
  }
  const [one, two] = [await open(), await open()]
  await post(list, { 'mcp-session-id': one })
  const first = await hashIn(one)
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(await hashIn(two)).toBeUndefined()
  await post(list, { 'mcp-session-id': two })
  const second = await hashIn(two)
  expect(second).toMatch(/^[0-9a-f]{64}$/)
  expect(second).not.toBe(first)
  expect(await hashIn(one)).toBe(first)
})

it('stores what a server declares apart from the others, and forgets the sessions that were used longest ago', () => {
  const offered = new OfferedTools(policyGuard(allowAll), ['files', 'greedy'])
  const long = (n: number) => ({ name: `mcp:greedy/${n}${'x'.repeat(1_000_000)}`, mirrored: [], definition })
  const definition = definitionOf({ name: 'read' }) as Definition
  offered.note({ server: 'files', source: 's' }, [{ name: 'mcp:files/read', mirrored: [], definition }])
  for (const source of ['one', 'two', 'three'])
    offered.note(
      { server: 'greedy', source },
      Array.from({ length: 9 }, (_, n) => long(n)),
    )
  expect(offered.of('files').schemas.definitionOf('mcp:files/read', 's')).toBe(definition.hash)
  const { schemas } = offered.of('greedy')
  const known = ['one', 'two', 'three'].map((source) => schemas.definitionOf(long(0).name, source))
  expect(known).toEqual([undefined, undefined, definition.hash])
})

import type { PolicyDocument } from '@mandate/policy/types'
import { expect, it, onTestFinished } from 'vitest'
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

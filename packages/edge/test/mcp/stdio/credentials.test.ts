import { setTimeout as pause } from 'node:timers/promises'
import type { PolicyDocument } from '@mandate/policy/types'
import { Client } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { CredentialMissing, type ServerSecrets } from '../../../src/credentials/server-secrets.ts'
import { HiddenSecrets } from '../../../src/mcp/stdio/hidden-secrets.ts'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { allowAll } from '../testing/policy-guard.ts'

/** A server that answers a call after the time in its arguments, with its secret, its process id and the subscribed addresses. */
const program = `
const subscribed = []
const answers = {
  'resources/subscribe': ({ uri }) => (subscribed.push(uri), {}),
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {}, resources: { subscribe: true } }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { ms } }) => new Promise((resolve) =>
    setTimeout(() => resolve({ content: [{ type: 'text', text: [process.env.API_KEY, process.pid, subscribed].join(' ') }] }), ms)),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = await (answers[method] ?? (() => ({})))(params ?? {})
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})`

/** Secrets that the test changes. */
class TestSecrets implements ServerSecrets {
  value: string | null = 'one'
  private readonly listeners: (() => void)[] = []
  change(value: string | null): void {
    this.value = value
    for (const listener of this.listeners) listener()
  }
  async lacking() {
    return this.value === null ? 'the credential is missing' : null
  }
  async headers() {
    return { headers: {} }
  }
  env() {
    if (this.value === null) throw new CredentialMissing('the credential is missing')
    return { API_KEY: this.value }
  }
  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }
  close(): void {}
}

async function start(renewal = { calmMs: 1_000, latestMs: 4_000 }) {
  const secrets = new TestSecrets()
  const slow = { command: process.execPath, args: ['-e', program], env: {}, credentials: { API_KEY: 'key' } }
  const world = await startWorld({ slow }, { credentials: { secretsFor: () => secrets }, limits: { renewal } })
  onTestFinished(() => world.close())
  return { world, secrets, client: await connect(world) }
}

async function connect(world: GatewayWorld): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(world.transport('slow'))
  return client
}

/** Waits until a call was decided and sent. */
async function isOpen({ guard }: GatewayWorld): Promise<void> {
  await expect.poll(() => guard.decided.length).toBe(1)
  await pause(100)
}

async function wait(client: Client, ms: number): Promise<string> {
  const { content } = await client.callTool({ name: 'wait', arguments: { ms } })
  return (content as { text: string }[])[0]?.text.split(' ')[0] as string
}

test('an idle server is restarted at once, and its session goes on', async () => {
  const { client, secrets, world } = await start()
  await client.listTools()
  expect(await wait(client, 0)).toBe('one')
  const definition = () => world.guard.decided.at(-1)?.definition?.()
  expect(definition()).toMatch(/^[0-9a-f]{64}$/)
  secrets.change('two')
  expect(await wait(client, 0)).toBe('two')
  // The new process may declare the tool in another way.
  expect(definition()).toBeUndefined()
  secrets.change('three')
  secrets.change('four')
  await expect.poll(() => wait(client, 0)).toBe('four')
})

test('a restarted server gets the subscriptions that the rules still allow', async () => {
  const { client, secrets, world } = await start()
  for (const name of ['a', 'b']) await client.subscribeResource({ uri: `file:///${name}` })
  const subscribed = async () => {
    const { content } = await client.callTool({ name: 'wait', arguments: { ms: 0 } })
    return (content as { text: string }[])[0]?.text.split(' ')[2]
  }
  expect(await subscribed()).toBe('file:///a,file:///b')
  const when = [{ path: 'args.uri', op: 'eq', value: 'file:///b' }] as const
  const rule = { id: 'r', name: 'No b', priority: 1, enabled: true, effect: 'deny', reason: '' } as const
  const match = { tools: ['resource:slow/subscribe'], when }
  world.guard.change({ ...allowAll, rules: [{ ...rule, match }] } as unknown as PolicyDocument)
  secrets.change('two')
  await expect.poll(subscribed).toBe('file:///a')
})

test('an open request ends as it began; requests pass for a while, then wait for the restart', async () => {
  const { client, secrets, world } = await start()
  const open = wait(client, 2_500)
  await isOpen(world)
  secrets.change('two')
  expect(await wait(client, 0)).toBe('one')
  await pause(1_200)
  const waiting = wait(client, 0)
  expect([await open, await waiting]).toEqual(['one', 'two'])
})

test('a request that is open too long gets an error, and the session goes on', async () => {
  const { client, secrets, world } = await start({ calmMs: 200, latestMs: 1_000 })
  const open = wait(client, 60_000)
  const failed = expect(open).rejects.toThrow('restarted with another credential before it answered')
  await isOpen(world)
  secrets.change('two')
  await failed
  expect(await wait(client, 0)).toBe('two')
})

test('a session ends when its credential is lost, after its open request; a new one cannot be opened', async () => {
  const { client, secrets, world } = await start()
  const open = wait(client, 800)
  await isOpen(world)
  secrets.change(null)
  expect(await open).toBe('one')
  await expect.poll(() => wait(client, 0).catch(String)).toContain('the credential is missing')
  await expect(connect(world)).rejects.toThrow('the credential is missing')
  secrets.change('two')
  expect(await wait(await connect(world), 0)).toBe('two')
})

test('hides secrets in log lines, also those that a long line cuts', () => {
  const hidden = new HiddenSecrets(['s3cret-value', 'first line of a key\nsecond line of a key', 'short'])
  expect(hidden.in('KEY=s3cret-value; s3cret-value', false)).toBe('KEY=[hidden]; [hidden]')
  expect(hidden.in('second line of a key', false)).toBe('[hidden]')
  expect(hidden.in('text s3cret-va', true)).toBe('text [hidden]')
  expect(hidden.in('text s3cret-va', false)).toBe('text s3cret-va')
  expect(hidden.in('a short text', false)).toBe('a short text')
})

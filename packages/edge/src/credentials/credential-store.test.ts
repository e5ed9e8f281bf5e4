import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EdgeCredential } from '@mandate/contract/credentials'
import { expect, onTestFinished, test } from 'vitest'
import { controlPlaneAt } from '../control-plane/control-plane.ts'
import { CredentialStore } from './credential-store.ts'

const log = { info: () => {}, warn: () => {} }
const tickets: EdgeCredential = { name: 'tickets', kind: 'bearer', config: {}, secret: 'one', version: 1 }

/** A control plane that has some credentials, and a store of an edge. */
async function startWorld(...credentials: EdgeCredential[]) {
  const has = new Map(credentials.map((one) => [one.name, one]))
  const world = { has, asked: [] as string[], isAway: false, status: 404, nowMs: 0, before: Promise.resolve() }
  const server = createServer(async (request, response) => {
    world.asked.push(request.url ?? '')
    if (world.isAway) return void response.destroy()
    const found = has.get(/credentials\/([a-z0-9-]+)\?/.exec(request.url ?? '')?.[1] ?? '')
    await world.before
    response.writeHead(found ? 200 : world.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? { error: 'credential not found' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const plane = controlPlaneAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'ek_')
  const store = new CredentialStore({ plane, log, now: () => world.nowMs, isPrivateAllowed: true })
  onTestFinished(() => {
    store.close()
    server.close()
  })
  return { world, store }
}

const byHeader = (name = 'tickets', header = 'Authorization') => ({ headers: { [header]: name } })

test('fetches a credential when it is first needed, once for concurrent calls, and again after an hour', async () => {
  const { world, store } = await startWorld(tickets)
  const secrets = store.secretsFor('jira', byHeader())
  expect(world.asked).toEqual([])
  const calls = await Promise.all(Array.from({ length: 10 }, () => secrets.headers()))
  expect(calls.every(({ headers }) => headers.Authorization === 'Bearer one')).toBe(true)
  expect(world.asked).toEqual(['/edge/credentials/tickets?server=jira'])
  world.nowMs += 3_600_001
  await secrets.headers()
  await expect.poll(() => world.asked.length).toBe(2)
})

test.each<[Partial<EdgeCredential>, string, string]>([
  [{}, 'Authorization', 'Bearer one'],
  [{ kind: 'basic', config: { username: 'ü' } }, 'authorization', `Basic ${Buffer.from('ü:one').toString('base64')}`],
  [{ kind: 'header', config: { header: 'X-Api-Key' } }, 'x-api-key', 'one'],
])('makes the header of %j', async (changed, header, value) => {
  const { store } = await startWorld({ ...tickets, ...changed })
  expect((await store.secretsFor('jira', byHeader('tickets', header)).headers()).headers).toEqual({ [header]: value })
})

test.each<[Partial<EdgeCredential>, string, string]>([
  [{}, 'X-Api-Key', 'for the header Authorization only'],
  [{ kind: 'header', config: { header: 'X-Other' } }, 'X-Api-Key', 'for the header X-Other, not for X-Api-Key'],
  [{ kind: 'environment', config: { variable: 'KEY' } }, 'Authorization', 'which no header can have'],
  [{ kind: 'oauth_client_credentials' }, 'X-Api-Key', 'for the header Authorization only'],
])('lacks %j for the header %s', async (changed, header, says) => {
  const { store } = await startWorld({ ...tickets, ...changed })
  const secrets = store.secretsFor('jira', byHeader('tickets', header))
  expect(await secrets.lacking()).toContain(says)
  await expect(secrets.headers()).rejects.toThrow(says)
})

test('gives a variable only to the variable that the credential names', async () => {
  const { store } = await startWorld({ ...tickets, kind: 'environment', config: { variable: 'KEY' } })
  const secrets = store.secretsFor('files', { env: { KEY: 'tickets' } })
  expect(() => secrets.env()).toThrow('it was not fetched yet')
  expect(await secrets.lacking()).toBeNull()
  expect(secrets.env()).toEqual({ KEY: 'one' })
  expect(await store.secretsFor('files', { env: { LD_PRELOAD: 'tickets' } }).lacking()).toContain('not for LD_PRELOAD')
})

test('follows the versions of heartbeats and of the stream, and tells of changes', async () => {
  const { world, store } = await startWorld(tickets)
  const secrets = store.secretsFor('jira', byHeader())
  let changes = 0
  secrets.onChange(() => changes++)
  const header = async () => (await secrets.headers()).headers.Authorization
  expect(await header()).toBe('Bearer one')
  store.follow([{ name: 'tickets', version: 1 }])
  store.follow(undefined)
  expect(world.asked).toHaveLength(1)
  world.has.set('tickets', { ...tickets, secret: 'two', version: 2 })
  store.follow([{ name: 'tickets', version: 2 }])
  await expect.poll(header).toBe('Bearer two')
  world.has.set('tickets', { ...tickets, secret: 'three', version: 3 })
  store.take({ name: 'tickets', version: 3 })
  await expect.poll(header).toBe('Bearer three')
  expect([changes, world.asked.length]).toEqual([3, 3])
})

test('forgets a deleted credential at once, and finds it again when it is created', async () => {
  const { world, store } = await startWorld(tickets)
  const secrets = store.secretsFor('jira', byHeader())
  for (const isDeleted of [() => store.follow([]), () => store.take({ name: 'tickets', version: null })]) {
    world.has.set('tickets', tickets)
    store.take({ name: 'tickets', version: 1 })
    expect(await secrets.lacking()).toBeNull()
    world.has.clear()
    isDeleted()
    expect(await secrets.lacking()).toContain('the credential tickets is missing')
  }
})

test('a deletion during a fetch wins over what the fetch brings', async () => {
  const { world, store } = await startWorld(tickets)
  const secrets = store.secretsFor('jira', byHeader())
  const { promise, resolve } = Promise.withResolvers<void>()
  world.before = promise
  const asked = secrets.lacking()
  await expect.poll(() => world.asked.length).toBe(1)
  world.has.clear()
  store.take({ name: 'tickets', version: null })
  resolve()
  expect(await asked).toContain('credential not found')
})

test('without a control plane it keeps what it has, and has nothing that it never had', async () => {
  const { world, store } = await startWorld(tickets)
  const [kept, never] = [store.secretsFor('jira', byHeader()), store.secretsFor('wiki', byHeader())]
  expect(await kept.lacking()).toBeNull()
  world.isAway = true
  store.take({ name: 'tickets', version: 2 })
  expect(await kept.lacking()).toBeNull()
  expect(await never.lacking()).toContain('the control plane cannot be reached, and secrets are not stored on disk')
  const { length } = world.asked
  expect(await never.lacking()).toContain('cannot be reached')
  expect(world.asked).toHaveLength(length)
  world.isAway = false
  world.has.set('tickets', { ...tickets, secret: 'two', version: 2 })
  await expect.poll(async () => (await kept.headers()).headers.Authorization, { timeout: 60_000 }).toBe('Bearer two')
  store.forget('the edge denies every call')
  world.isAway = true
  expect(await kept.lacking()).toContain('the control plane cannot be reached')
})

test('loses a credential when the control plane refuses to give it', async () => {
  const { world, store } = await startWorld(tickets)
  const secrets = store.secretsFor('jira', byHeader())
  expect(await secrets.lacking()).toBeNull()
  world.has.clear()
  world.status = 403
  store.take({ name: 'tickets', version: 2 })
  await expect.poll(() => secrets.lacking()).toContain('the control plane answered 403')
})

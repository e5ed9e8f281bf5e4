// May take over 10 s: starts servers with other credentials again and again, and searches every file and table for the secrets.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectEmbedded } from '../../../../packages/embedded-postgres/src/connect-embedded.ts'
import { type ControlPlane, startControlPlane, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { type EdgeProcess, startEdgeProcess } from '../edge-process.ts'
import type { Json } from '../middle.ts'

const node = fileURLToPath(new URL('../../../../node_modules/.bin/node', import.meta.url))
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)
const digestServer = fileURLToPath(new URL('./digest-server.ts', import.meta.url))
const newSecret = () => `s3cret-${randomBytes(16).toString('hex')}`
const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

let plane: ControlPlane
/** Everything that a secret must not be in. */
const outputs: (() => string)[] = []
const stateDirs: string[] = []
const secrets: string[] = []

beforeAll(async () => {
  plane = await startControlPlane({ MANDATE_PRIVATE_PLATFORMS: 'on', LOG_LEVEL: 'trace' })
  outputs.push(plane.server.output)
})
afterAll(async () => {
  for (const folder of stateDirs) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  await plane.stop()
})

const soon = { timeout: 60_000 }
let names = 0
/** Stores a credential under a new name. */
async function newCredential(kind: string, config: object, secret = newSecret()) {
  secrets.push(secret)
  const name = `tool-${++names}`
  const body = { name, kind, config, secret, environment_id: plane.development }
  const { id } = await plane.ask('POST', '/credentials', body)
  const rotate = async (next = newSecret()) => {
    secrets.push(next)
    await plane.ask('POST', `/credentials/${id}/rotate`, { secret: next })
    return next
  }
  return { id, name, secret, rotate }
}

interface EdgeWithServers {
  edge: EdgeProcess
  agent: TestAgent
  connect(server: string): Promise<Client>
}

/** Starts an edge, with an edge key, in front of tool servers. */
async function startEdge(servers: object, settings: Record<string, string> = {}): Promise<EdgeWithServers> {
  const agent = await plane.newAgent({ default_effect: 'allow' })
  const { edge_key } = await plane.ask('POST', '/edges', { name: 'edge', environment_id: plane.development })
  // Removed after all tests, because the last one reads the files.
  const stateDir = await mkdtemp(join(tmpdir(), 'mandate-edge-'))
  stateDirs.push(stateDir)
  const file = join(stateDir, 'servers.json')
  await writeFile(file, JSON.stringify({ servers }))
  const given = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0', LOG_LEVEL: 'trace', ...settings }
  const edge = await startEdgeProcess(plane.server.url, { ...agent, key: edge_key }, stateDir, { settings: given })
  outputs.push(edge.output)
  const connect = async (server: string) => {
    const url = new URL(`/mcp/${server}`, /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1])
    const requestInit = { headers: { authorization: `Bearer ${edge.token}` } }
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    onTestFinished(() => client.close())
    return client
  }
  return { edge, agent, connect }
}

/** A tool server over HTTP that accepts some values of a header, and answers each call with a text. */
async function startHttpServer(header: string) {
  const accepted = new Set<string>()
  const seen: string[] = []
  /** The values of requests that were not accepted. */
  const refused: string[] = []
  const onCall: { wait: Promise<unknown> } = { wait: Promise.resolve() }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const value = String(request.headers[header] ?? '')
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (!accepted.has(value)) {
      refused.push(value)
      return void response.writeHead(401).end()
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') {
      seen.push(value)
      await onCall.wait
    }
    const results: Json = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      },
      'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'pong' }] },
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, accepted, seen, refused, onCall }
}

const textOf = (result: Json): string => result.content.map(({ text }: { text?: string }) => text ?? '').join('')
const ping = async (client: Client) => textOf(await client.callTool({ name: 'ping', arguments: {} }))
const digestVia = async (client: Client, ms = 0) => textOf(await client.callTool({ name: 'digest', arguments: { ms } }))
const fetchesOf = async (id: string) =>
  (await plane.ask('GET', `/audit?event_type=credential.fetched&resource_id=${id}`)).data

describe('a tool server over HTTP', () => {
  it('gets the secret of its credential; rotation drops no call under load; a deletion lets the open call end', async () => {
    const { id, name, secret, rotate } = await newCredential('header', { header: 'X-Api-Key' })
    const upstream = await startHttpServer('x-api-key')
    upstream.accepted.add(secret)
    const { connect } = await startEdge({
      tickets: { url: upstream.url, headers: { 'x-api-key': { credential: name } } },
    })
    const client = await connect('tickets')
    expect(await ping(client)).toBe('pong')
    expect(await fetchesOf(id)).toMatchObject([{ details: { server: 'tickets', version: 1 } }])

    let isDone = false
    const results = new Set<string>()
    const caller = async () => {
      while (!isDone) results.add(await ping(client))
    }
    const callers = Promise.all(Array.from({ length: 4 }, caller))
    for (let round = 0; round < 3; round++) {
      const next = newSecret()
      upstream.accepted.add(next)
      await rotate(next)
      await expect.poll(() => upstream.seen.at(-1), { timeout: 60_000 }).toBe(next)
    }
    isDone = true
    await callers
    expect([...results]).toEqual(['pong'])
    expect(await fetchesOf(id)).toHaveLength(4)

    const { promise, resolve } = Promise.withResolvers<void>()
    upstream.onCall.wait = promise
    const calls = upstream.seen.length
    const open = ping(client)
    await expect.poll(() => upstream.seen.length).toBe(calls + 1)
    const refused = await plane.ask('DELETE', `/credentials/${id}`, undefined, 409)
    expect(refused.error).toContain('tickets')
    await plane.ask('DELETE', `/credentials/${id}?force=true`)
    await expect
      .poll(async () => await deniedBy(client), { timeout: 60_000 })
      .toContain(`credential ${name} is missing`)
    const reached = upstream.seen.length
    expect(await deniedBy(client)).toContain('is missing')
    resolve()
    expect(await open).toBe('pong')
    expect(upstream.seen).toHaveLength(reached)
  })

  it('denies calls, in monitor mode too, with a decision and a reason', async () => {
    const upstream = await startHttpServer('authorization')
    const header = { Authorization: { credential: 'not-there' } }
    const { agent, connect } = await startEdge({ tickets: { url: upstream.url, headers: header } })
    await plane.ask('PUT', `/policies/${agent.policyId}`, { override_mode: 'monitor' })
    await expect(connect('tickets')).rejects.toThrow('the credential not-there is missing')
    const made = await newCredential('bearer', {})
    await plane.ask('PUT', `/credentials/${made.id}`, { name: 'not-there' })
    upstream.accepted.add(`Bearer ${made.secret}`)
    await expect.poll(() => connect('tickets'), { timeout: 60_000 }).toBeTruthy()
    const client = await connect('tickets')
    expect(await ping(client)).toBe('pong')
    await plane.ask('DELETE', `/credentials/${made.id}?force=true`)
    await expect
      .poll(() => deniedBy(client), { timeout: 60_000 })
      .toMatch(/^Denied by the edge: .*not-there is missing/)
    await expect
      .poll(async () => (await plane.ask('GET', `/decisions?agent_id=${agent.id}&effect=deny`)).data[0], {
        timeout: 60_000,
      })
      .toMatchObject({ effect: 'deny', mode: 'enforce', tool: 'mcp:tickets/ping', rule: null })
  })

  it('gets tokens of an authorization server, and another one after a rotation', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(Buffer.from(String(request.headers.authorization).split(' ')[1] ?? '', 'base64').toString())
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 3600 }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const token_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
    const { name, secret, rotate } = await newCredential('oauth_client_credentials', { token_url, client_id: 'me' })
    const upstream = await startHttpServer('authorization')
    upstream.accepted.add('Bearer token-1').add('Bearer token-2')
    const headers = { Authorization: { credential: name } }
    const { connect } = await startEdge({ tickets: { url: upstream.url, headers } })
    const client = await connect('tickets')
    await Promise.all(Array.from({ length: 5 }, () => ping(client)))
    expect(asked).toEqual([`me:${secret}`])
    const next = await rotate()
    const lastToken = async () => {
      await ping(client)
      return upstream.seen.at(-1)
    }
    await expect.poll(lastToken, { timeout: 60_000 }).toBe('Bearer token-2')
    expect(asked).toEqual([`me:${secret}`, `me:${next}`])
  })

  it('is not started by an edge with the own key of an agent', async () => {
    const agent = await plane.newAgent()
    const stateDir = await stateFolder()
    const file = join(stateDir, 'servers.json')
    const headers = { Authorization: { credential: 'tickets' } }
    await writeFile(file, JSON.stringify({ servers: { tickets: { url: 'http://127.0.0.1:9/', headers } } }))
    const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
    await expect(startEdgeProcess(plane.server.url, agent, stateDir, { settings })).rejects.toThrow('needs an edge key')
  })
})

describe('an authorization server that issues no token', () => {
  /** How it answers. `echo` is what the edge sent, with the secret. */
  const failures: Record<string, (response: ServerResponse, echo: string) => void> = {
    'refuses the client': (response, echo) =>
      response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', error_description: echo })),
    'fails with 500': (response, echo) => response.writeHead(500).end(echo),
    'sends JSON that is not complete': (response, echo) => response.writeHead(200).end(`{"access_token": "${echo}`),
    'sends no bearer token': (response, echo) =>
      response.writeHead(200).end(JSON.stringify({ access_token: `a ${echo}`, token_type: 'mac' })),
    'closes the connection': (response) => void response.destroy(),
    'never answers': () => {},
  }

  for (const [failure, fail] of Object.entries(failures))
    it(`${failure}: no call passes, also after the token expired during calls`, {
      tags: failure === 'refuses the client' ? [] : ['long'],
    }, async () => {
      let isFailing = true
      let issued = 0
      const upstream = await startHttpServer('authorization')
      const server = createServer((request, response) => {
        const echo = Buffer.from(String(request.headers.authorization).split(' ')[1] ?? '', 'base64').toString()
        if (isFailing) return fail(response, echo)
        const access_token = `token-${++issued}-${newSecret()}`
        secrets.push(access_token)
        upstream.accepted.add(`Bearer ${access_token}`)
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 1 }))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const token_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
      const { name } = await newCredential('oauth_client_credentials', { token_url, client_id: 'me' })
      const headers = { Authorization: { credential: name } }
      const { agent, connect } = await startEdge({ tickets: { url: upstream.url, headers } })
      const said: string[] = []
      outputs.push(() => said.join('\n'))

      const first = await connect('tickets').catch((error: Error) => error)
      expect(first).toBeInstanceOf(Error)
      said.push(String(first))
      expect(upstream.accepted.size + upstream.refused.length).toBe(0)

      isFailing = false
      await expect.poll(() => connect('tickets'), { timeout: 60_000, interval: 500 }).toBeTruthy()
      const client = await connect('tickets')
      expect(await ping(client)).toBe('pong')
      expect(issued).toBeGreaterThan(0)

      isFailing = true
      const call = async () => (await client.callTool({ name: 'ping', arguments: {} }, { timeout: 30_000 })) as Json
      await expect.poll(async () => (await call()).isError === true, { timeout: 60_000 }).toBe(true)
      const reached = upstream.seen.length
      const denied = textOf(await call())
      said.push(denied)
      expect(denied).toContain(`the credential ${name} gave no token`)
      expect(upstream.seen).toHaveLength(reached)
      expect(upstream.refused).toEqual([])
      await expect
        .poll(async () => (await plane.ask('GET', `/decisions?agent_id=${agent.id}&effect=deny`)).data[0], soon)
        .toMatchObject({ tool: 'mcp:tickets/ping', denied_because: 'credential_missing' })

      isFailing = false
      await expect.poll(async () => textOf(await call()), { timeout: 60_000, interval: 500 }).toBe('pong')
      expect(upstream.refused).toEqual([])
    })
})

/** Returns the text of a denied call of `ping`, or an empty text if it was not denied in time. */
async function deniedBy(client: Client): Promise<string> {
  const { isError, ...result } = (await client.callTool({ name: 'ping', arguments: {} }, { timeout: 500 })) as Json
  return isError ? textOf(result) : ''
}

describe('a tool server that the edge starts', () => {
  it('is restarted with the new secret, and the session goes on without a dropped call', async () => {
    const { id, name, secret, rotate } = await newCredential('environment', { variable: 'API_KEY' })
    const digest = { command: node, args: [digestServer], env: { API_KEY: { credential: name } } }
    const { edge, connect } = await startEdge({ digest })
    const client = await connect('digest')
    expect(await digestVia(client)).toBe(digestOf(secret))
    expect(edge.output()).toContain('started with API_KEY=[hidden]')

    let isDone = false
    const seen = new Set<string>()
    const caller = async () => {
      while (!isDone) {
        seen.add(await digestVia(client, 10))
        await pause(20)
      }
    }
    const callers = Promise.all([caller(), caller()])
    const next = await rotate()
    await expect.poll(() => seen.has(digestOf(next)), { timeout: 60_000 }).toBe(true)
    const last = await rotate()
    await expect.poll(() => seen.has(digestOf(last)), { timeout: 60_000 }).toBe(true)
    isDone = true
    await callers
    expect([...seen]).toEqual([secret, next, last].map(digestOf))

    const open = digestVia(client, 2_000)
    await pause(300)
    await plane.ask('DELETE', `/credentials/${id}?force=true`)
    expect(await open).toBe(digestOf(last))
    await expect(digestVia(client)).resolves.toMatch(/Denied by the edge: .*missing/)
  })

  it('gets only its own variables: another server and the agent see no secret and no key of the edge', async () => {
    const { name, secret } = await newCredential('environment', { variable: 'API_KEY' })
    const bearer = await newCredential('bearer', {})
    const { edge, agent, connect } = await startEdge({
      digest: { command: node, args: [digestServer], env: { API_KEY: { credential: name } } },
      other: { command: node, args: [everything, 'stdio'], env: { PLAIN: 'seen' } },
      remote: { url: 'http://127.0.0.1:9/', headers: { Authorization: { credential: bearer.name } } },
    })
    expect(await digestVia(await connect('digest'))).toBe(digestOf(secret))
    await expect(connect('remote')).rejects.toThrow('cannot be reached')
    const other = await connect('other')
    const { tools } = await other.listTools()
    const printer = tools.find(({ name }) => /env/i.test(name))?.name as string
    const environment = textOf(await other.callTool({ name: printer, arguments: {} }))
    expect(environment).toContain('PLAIN')
    for (const hidden of [secret, bearer.secret, 'ek_', edge.token, agent.key])
      expect(environment).not.toContain(hidden)
  })
})

it('no secret is in a log, a table, an export, a spool or any file of an edge', async () => {
  expect(secrets.length).toBeGreaterThan(8)
  const files = await Promise.all(stateDirs.map((folder) => textsIn(folder)))
  const found = await connectEmbedded(plane.server.dataDir)
  const client = new pg.Client({ connectionString: found?.ownerUrl })
  await client.connect()
  const { rows } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const tables: string[] = []
  for (const { name } of rows) tables.push(JSON.stringify((await client.query(`select * from ${name}`)).rows))
  await client.end()
  const answers = await Promise.all([
    plane.ask('GET', '/credentials?limit=200&include=names,may'),
    plane.ask('GET', '/audit?limit=200'),
    plane.ask('GET', '/decisions?page_size=200'),
  ])
  const everythingElse = [...outputs.map((output) => output()), ...files, ...tables, JSON.stringify(answers)]
  expect(everythingElse.join('').length).toBeGreaterThan(50_000)
  for (const secret of secrets) {
    for (const form of [
      secret,
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('hex'),
    ])
      expect(everythingElse.some((text) => text.includes(form))).toBe(false)
  }
})

/** The texts of all files in a folder. */
async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join('\n')
}

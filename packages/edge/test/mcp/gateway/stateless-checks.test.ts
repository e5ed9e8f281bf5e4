import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'

const program = join(import.meta.dirname, '../testing/stateless-process.ts')
const revision = '2026-07-28'
const key = (name: string) => `io.modelcontextprotocol/${name}`
const envelope = { [key('protocolVersion')]: revision, [key('clientCapabilities')]: {} }
const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }

let world: GatewayWorld

beforeAll(async () => {
  const command = process.execPath
  world = await startWorld({ started: { command, args: [program], env: { PATH: process.env.PATH ?? '' } } })
})

afterAll(() => world.close())

async function call(sent: Record<string, string>, _meta: object) {
  const params = { name: 'echo', arguments: { message: 'heard' }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const answer = await world.send('started', { method: 'POST', body, headers: sent })
  return { status: answer.status, body: await answer.json() }
}

describe('for a started server and the revision without sessions, the gateway rejects like an HTTP server', () => {
  it.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const)(
    'a request without the header %s',
    async (name) => {
      const { [name]: _, ...others } = headers
      expect(await call(others, envelope)).toMatchObject({ status: 400, body: { id: 7, error: { code: -32020 } } })
      expect(world.guard.decided).toEqual([])
    },
  )

  it.each(['protocolVersion', 'clientCapabilities'])('a request whose _meta lacks %s', async (name) => {
    const { [key(name)]: _, ...others } = envelope
    const error = { code: -32602, data: { missing: [key(name)] } }
    expect(await call(headers, others)).toMatchObject({ status: 400, body: { id: 7, error } })
  })

  it('a request of an unsupported revision, and names the supported ones', async () => {
    const unknown = '2999-01-01'
    const answer = await call(
      { ...headers, 'mcp-protocol-version': unknown },
      { ...envelope, [key('protocolVersion')]: unknown },
    )
    const data = { supported: [revision], requested: unknown }
    expect(answer).toMatchObject({ status: 400, body: { id: 7, error: { code: -32022, data } } })
    expect(world.guard.decided).toEqual([])
  })
})

it('a complete request of the revision without sessions reaches the started server', async () => {
  const { status, body } = await call(headers, envelope)
  expect(status).toBe(200)
  expect(body.result.content).toEqual([{ type: 'text', text: 'heard' }])
})

it.each(['vendor/unknown', 'resources/subscribe'])(
  '404 for the method %s, which this revision does not have',
  async (method) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { _meta: envelope } })
    const sent = { 'mcp-protocol-version': revision, 'mcp-method': method }
    const answer = await world.send('started', { method: 'POST', body, headers: sent })
    expect([answer.status, await answer.json()]).toMatchObject([404, { id: 7, error: { code: -32601 } }])
  },
)

it('answers the requests of a started server, because no client of this revision can get them', async () => {
  const asking = `
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    const got = []
    let call
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, result, error } = JSON.parse(line)
      if (method === undefined) got.push(error?.code ?? result)
      else call = id
      if (method !== undefined) for (const asked of ['ping', 'roots/list']) send({ id: asked, method: asked })
      if (got.length === 2) send({ id: call, result: { got } })
    })`
  const own = await startWorld({ asking: { command: process.execPath, args: ['-e', asking], env: {} } })
  const sent = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/list' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: envelope } })
  const answer = await own.send('asking', { method: 'POST', body, headers: sent })
  expect(await answer.json()).toMatchObject({ id: 7, result: { got: [{}, -32601] } })
  await own.close()
})

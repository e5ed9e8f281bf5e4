import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callOf } from '../src/hook/hook-verdict.ts'
import { answerJson, type Scripted, startScripted } from './mcp/testing/scripted-upstream.ts'

// A generous limit. On an idle machine the worst case takes a third of it. Without limits it took tens of seconds.
const mostCpuMs = 15_000
const mostHeapBytes = 200 << 20
let upstream: Scripted
let child: ChildProcess
let folder: string
let edge: { decide: string; mcp: string; token: string; usage: string }

beforeAll(async () => {
  upstream = await startScripted()
  folder = await mkdtemp(join(tmpdir(), 'mandate-bounded-'))
  const program = join(import.meta.dirname, 'bounded-process.ts')
  child = spawn(process.execPath, ['--expose-gc', '--max-old-space-size=1024', program, upstream.url, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  edge = JSON.parse(String(line))
}, 120_000)
afterAll(async () => {
  child.kill('SIGKILL')
  await once(child, 'exit')
  await upstream.stop()
  await rm(folder, { recursive: true })
})

const usage = async () => (await (await fetch(edge.usage)).json()) as { cpuMs: number; heapBytes: number }

/** Sends a request to the edge and checks the CPU time of its process. */
async function expectCheap(act: () => Promise<unknown>): Promise<void> {
  const before = await usage()
  await act()
  const after = await usage()
  expect(after.cpuMs - before.cpuMs).toBeLessThan(mostCpuMs)
  expect(after.heapBytes).toBeLessThan(mostHeapBytes)
}

const send = (url: string, body: string) =>
  fetch(url, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${edge.token}`, 'content-type': 'application/json' },
  })
const fill = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length))
const keys = (bytes: number) => Array.from({ length: bytes / 16 }, (_, n) => `"k${n}":0`).join(',')

/** The worst values of about this many bytes. */
const shapes = (bytes: number): [string, string][] => [
  ['numbers', `[${fill('0,', bytes)}0]`],
  ['empty lists', `[${fill('[],', bytes)}0]`],
  ['empty objects', `[${fill('{},', bytes)}0]`],
  ['lists in lists', fill('[', bytes / 2) + fill(']', bytes / 2)],
  ['objects in objects', fill('{"a":', bytes / 7) + 0 + fill('}', bytes / 7)],
  ['lists that do not end', fill('[', bytes)],
  ['keys', `{${keys(bytes)}}`],
  ['the same key', `{${fill('"a":0,', bytes)}"a":0}`],
  ['escaped keys', `{${fill('"\\u0061\\u0062":0,', bytes)}"a":0}`],
  ['large numbers', `[${fill('1e308,', bytes)}0]`],
  ['one number', fill('9', bytes)],
  ['one number of zeros', `0.${fill('0', bytes)}1`],
  ['one text', `"${fill('x', bytes)}"`],
  ['one text of backslashes', `"${fill('\\\\', bytes)}"`],
  ['one text that does not end', `"${fill('\\"', bytes)}`],
  ['white space', `[${fill(' ', bytes)}0]`],
]

describe('the worst request of a local caller takes little time', { tags: ['long'] }, () => {
  it.each(shapes(1_000_000))('POST /edge/v1/decide: %s', async (_what, args) => {
    await expectCheap(async () => {
      for (const body of [
        `{"tool":"fn:a/b","args":{"a":${args}}}`,
        `{"tool":"fn:a/b","other_tools":${args},"args":{}}`,
        args,
      ]) {
        expect((await send(`${edge.decide}/edge/v1/decide`, body)).status).toBeLessThan(500)
      }
    })
  })

  it.each(shapes(4_000_000))('an MCP message: %s', async (_what, args) => {
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    await expectCheap(async () => {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":${args}}}}`
      for (const body of [call, args]) expect((await send(`${edge.mcp}/mcp/http`, body)).status).toBeLessThan(500)
    })
  })

  it.each(shapes(1_000_000))('the input of a hook: %s', (_what, args) => {
    const before = process.cpuUsage()
    for (const input of [`{"tool_name":"mcp__a__b","tool_input":{"a":${args}}}`, args]) {
      try {
        callOf(input, 'agent')
      } catch {
        // Only the cost matters here, not the answer.
      }
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(mostCpuMs)
  })

  it('a tool name that imitates rule names in every character', async () => {
    await expectCheap(async () => {
      for (let n = 0; n < 50; n++) {
        const body = JSON.stringify({ tool: `mcp:a/${n}${fill('%D0%B0', 250)}`, args: {} })
        expect((await send(`${edge.decide}/edge/v1/decide`, body)).status).toBe(200)
      }
    })
  })
})

describe('the worst answer of a tool server takes little time', { tags: ['long'] }, () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}'
  const bytes = 8_000_000

  it.each(shapes(bytes))('in JSON: %s', async (_what, value) => {
    upstream.script((response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":1,"result":{"a":${value}}}`)
    })
    await expectCheap(async () => {
      await (await send(`${edge.mcp}/mcp/http`, call)).body?.cancel()
    })
  })

  const streams: [string, string][] = [
    ['a long event', `data: {"jsonrpc":"2.0","id":1,"result":{"a":[${fill('0,', bytes)}0]}}\n\n`],
    ['many lines in one event', `${fill(':\n', bytes)}\n`],
    ['many lines of data', `${fill('data:0\n', bytes)}\n`],
    ['many empty events', fill('data:\n\n', 600_000)],
    ['many unknown requests', fill('data: {"jsonrpc":"2.0","id":1,"method":"x"}\n\n', 600_000)],
    ['many unknown notifications', fill('data: {"jsonrpc":"2.0","method":"x"}\n\n', 600_000)],
    ['carriage returns', fill('\r', 600_000)],
  ]

  it.each(streams)('on a stream: %s', async (_what, text) => {
    upstream.script((response, { body }) => {
      if (body !== call) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
    })
    await expectCheap(async () => {
      const answer = await send(`${edge.mcp}/mcp/http`, call)
      await answer.text().catch(() => {})
    })
  })

  it.each([...streams, ['many addresses', fill('event: endpoint\ndata: /messages\n\n', 600_000)]])(
    'on a stream of HTTP+SSE: %s',
    async (_what, text) => {
      upstream.script((response, { method }) => {
        if (method === 'POST') return void response.writeHead(202).end()
        const stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
        stream.end(`event: endpoint\ndata: /messages\n\n${text}`)
      })
      await expectCheap(async () => {
        const answer = await send(`${edge.mcp}/mcp/sse`, '{"jsonrpc":"2.0","id":1,"method":"initialize"}')
        await answer.text().catch(() => {})
      })
    },
  )

  it.each(['tools', 'resources', 'resourceTemplates', 'prompts'])(
    'shortens a list of %s that is too long',
    async (list) => {
      const entry = { name: 'tool', uri: 'file:///a', uriTemplate: 'file:///{a}' }
      const entries = Array.from({ length: 100_000 }, (_, n) => ({ ...entry, name: `tool ${n}`, uri: `file:///${n}` }))
      upstream.script((response) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { [list]: entries } })
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      })
      await expectCheap(async () => {
        const answer = await send(`${edge.mcp}/mcp/http`, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        const { result } = (await answer.json()) as { result: Record<string, unknown[]> }
        expect(result[list]?.length).toBeLessThanOrEqual(10_000)
      })
    },
  )
})

describe('an incomplete request ends', () => {
  it.each(['decide', 'mcp'] as const)('by the %s listener, with 408', async (which) => {
    const { hostname, port } = new URL(edge[which])
    const path = which === 'decide' ? '/edge/v1/decide' : '/mcp/http'
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${edge.token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"tool"',
    )
    let answer = ''
    for await (const chunk of socket) answer += chunk
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })
})

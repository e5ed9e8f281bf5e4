import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { startScripted } from '../../../../packages/edge/test/mcp/testing/scripted-upstream.ts'
import type { TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import type { Json } from '../middle.ts'
import { settingsOf, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const carrierServer = fileURLToPath(new URL('./carrier-server.ts', import.meta.url))

/** A client before an edge, and the tool server behind the edge. */
export interface Carriers {
  /** Sends a message. The server answers with these lines. Returns everything that the client got until the answer was complete. */
  ask(message: Json, lines: readonly string[]): Promise<string>
  /** Everything that the server got. */
  received(): Promise<string>
}

/** The edge on standard input and output. */
export async function onStdio(url: string, agent: TestAgent): Promise<Carriers> {
  const stateDir = await stateFolder()
  const [script, received] = [join(stateDir, 'script.json'), join(stateDir, 'received')]
  await writeFile(received, '')
  const child = spawn(node, ['packages/cli/bin/mandate.js', 'edge', '--server', 'demo', '--', node, carrierServer], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      ...settingsOf(url, agent, stateDir),
      SCRIPT: script,
      RECEIVED: received,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    child.stdin.end()
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  })
  let output = ''
  let news = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
    news.resolve()
  })
  let asked = 0
  return {
    async ask(message, lines) {
      await writeFile(script, JSON.stringify(lines))
      output = ''
      const last = `ping-${++asked}`
      for (const one of [message, { jsonrpc: '2.0', id: last, method: 'ping' }])
        child.stdin.write(`${JSON.stringify(one)}\n`)
      while (!output.includes(`"id":"${last}"`)) {
        news = Promise.withResolvers()
        await news.promise
      }
      return output
    },
    received: () => readFile(received, 'utf8'),
  }
}

/** The edge over HTTP before a server that answers as `answerWith` says. */
async function overHttp(
  url: string,
  agent: TestAgent,
  answerWith: (lines: readonly string[]) => { type: string; body: Buffer },
): Promise<
  Carriers & { send(init: RequestInit): Promise<Response>; script: Awaited<ReturnType<typeof startScripted>> }
> {
  const stateDir = await stateFolder()
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  const file = join(stateDir, 'servers.json')
  await writeFile(file, JSON.stringify({ servers: { demo: { url: upstream.url } } }))
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  const { token, output } = await startServedEdge(url, agent, stateDir, { settings })
  const address = new URL('/mcp/demo', /"mcp_url":"([^"]+)"/.exec(output())?.[1])
  const got: string[] = []
  const send = ({ headers, ...init }: RequestInit) =>
    fetch(address, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
  return {
    script: upstream,
    send,
    async ask(message, lines) {
      upstream.script(async (response, { body, headers }) => {
        got.push(JSON.stringify(headers), body)
        const { id, method } = JSON.parse(body)
        // The edge itself asks for the tools.
        const isOwn = String(id).startsWith('mandate-')
        if (id === undefined || method === undefined) return void response.writeHead(202).end()
        const own = [JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })]
        const named = lines.map((line) => line.replace('"$id"', JSON.stringify(id)))
        const { type, body: bytes } = answerWith(isOwn ? own : named)
        response.writeHead(200, { 'content-type': type })
        const step = Math.max(7, Math.ceil(bytes.length / 1000))
        for (let at = 0; at < bytes.length; at += step) {
          await new Promise((resolve) => response.write(bytes.subarray(at, at + step), resolve))
        }
        response.end()
      })
      return await (await send({ method: 'POST', body: JSON.stringify(message) })).text()
    },
    received: async () => got.join('\n'),
  }
}

/** The server answers with JSON: several messages are a batch. */
export const overJson = (url: string, agent: TestAgent) =>
  overHttp(url, agent, (lines) => ({
    type: 'application/json',
    body: Buffer.from(lines.length === 1 ? String(lines[0]) : `[${lines.join(',')}]`, 'latin1'),
  }))

/** The server answers with a stream of events. */
export const overStream = (url: string, agent: TestAgent) =>
  overHttp(url, agent, (lines) => ({
    type: 'text/event-stream',
    body: Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''), 'latin1'),
  }))

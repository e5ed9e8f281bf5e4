import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { answerHook } from './answer-hook.ts'
import { runHook } from './run-hook.ts'

const remedy = '. Start the edge, or name its address with --edge or MANDATE_EDGE_LISTEN'
const reasonOf = async (url: string) => {
  const verdict = await runHook('{"tool_name": "Bash", "tool_input": {}}', 'agent', () => ({ url, token: 't' }))
  return verdict.passes ? null : verdict.reason
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a hook that cannot reach its edge names the address, the reason and the option', async () => {
  const server = createServer()
  const url = await listening(server)
  server.close()
  await once(server, 'close')
  expect(await reasonOf(url)).toBe(`The edge at ${url} gave no decision, so the call is stopped: ECONNREFUSED${remedy}`)
})

test('a hook that reaches something else than an edge names the address and the option', async () => {
  const closing = await listening(createServer((socket) => void socket.destroy()))
  expect(await reasonOf(closing)).toBe(
    `The edge at ${closing} gave no decision, so the call is stopped: ECONNRESET${remedy}`,
  )
  for (const page of ['{}', 'null', '<h1>Not found</h1>']) {
    const other = await listening(createHttpServer((_, response) => void response.writeHead(404).end(page)))
    expect(await reasonOf(other)).toBe(`The edge at ${other} answered 404, so it is no edge${remedy}`)
  }
})

test('a hook that the edge refuses gives the error of the edge', async () => {
  const edge = createHttpServer((_, response) => void response.writeHead(401).end('{"error": "unknown token"}'))
  const url = await listening(edge)
  expect(await reasonOf(url)).toBe(`The edge at ${url} answered 401: unknown token`)
})

test('a hook with an input over 64 MiB reads 64 MiB and stops the call', async () => {
  let read = 0
  async function* stdin() {
    for (; read < 100; read++) yield Buffer.alloc(1 << 20, ' ')
  }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const config = () => ({ url: 'http://127.0.0.1:1', token: 't' })
  expect(await answerHook('agent', config, { stdin: stdin(), stdout, stderr })).toBe(false)
  expect(String(stderr.read())).toBe("The hook failed: the hook's input is larger than 64 MiB\n")
  expect(read).toBe(64)
})

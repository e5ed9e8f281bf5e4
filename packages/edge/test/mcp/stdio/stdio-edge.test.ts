import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { behindEdge } from '../testing/servers.ts'
import { echo, startStdio } from '../testing/stdio-world.ts'

const request = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const call = (id: unknown, name: string) => request(id, 'tools/call', { name })
const heard = (message: object) => ({ method: 'notifications/message', params: { line: JSON.stringify(message) } })

async function end(edge: ReturnType<typeof startStdio>): Promise<number> {
  edge.stdin.end()
  return edge.code
}

describe('between a client and a server on stdio', () => {
  it('forwards messages as one serialized line each', async () => {
    const edge = startStdio(echo)
    edge.send('  {"jsonrpc" : "2.0", "id":"a", "method":"logging/setLevel", "params":{"n":1.0,"t":"\\u00fc"} }\r')
    const line = '{"jsonrpc":"2.0","id":"a","method":"logging/setLevel","params":{"n":1,"t":"ü"}}'
    expect(await edge.receive()).toEqual({ jsonrpc: '2.0', id: 'a', result: { line } })
    expect(await end(edge)).toBe(0)
  })

  it('records all calls of the process under one session', async () => {
    const guards = [policyGuard(allowAll), policyGuard(allowAll)] as const
    for (const guard of guards) {
      const edge = startStdio(echo, { guard })
      for (const id of [1, 2]) {
        edge.send(call(id, 'read'))
        await edge.receive()
      }
      await end(edge)
    }
    const ids = guards.flatMap(({ decided }) => decided.map(({ sessionId }) => sessionId))
    expect(ids[0]).toMatch(/^stdio-[0-9a-f-]{36}$/)
    expect([ids[1] === ids[0], ids[2] === ids[0], ids[3] === ids[2]]).toEqual([true, false, true])
  })

  it('answers a denied call without the server, and splits a batch', async () => {
    const edge = startStdio(echo, { guard: policyGuard(rulesFor({ 'mcp:files/delete': 'deny' })) })
    edge.send(call(1, 'delete'))
    expect(await edge.receive()).toMatchObject({ id: 1, result: { isError: true } })
    edge.send([call(2, 'read'), call(3, 'delete')])
    expect(await edge.receive()).toEqual([
      expect.objectContaining({ id: 3 }),
      { jsonrpc: '2.0', id: 2, result: { line: JSON.stringify(call(2, 'read')) } },
    ])
    await end(edge)
  })

  it('stops an allowed call of a batch if the rules change before it is forwarded', async () => {
    const guard = policyGuard(allowAll, {
      before: async ({ tool }) => tool === 'mcp:files/slow' && guard.change(rulesFor({ 'mcp:files/read': 'deny' })),
    })
    const edge = startStdio(echo, { guard })
    edge.send([call(1, 'read'), call(2, 'slow')])
    expect(await edge.receive()).toEqual([
      expect.objectContaining({ id: 1 }),
      { jsonrpc: '2.0', id: 2, result: { line: JSON.stringify(call(2, 'slow')) } },
    ])
    await end(edge)
  })

  it('forwards a decided call of a batch although the client does not read other answers', async () => {
    const guard = policyGuard(rulesFor({ 'mcp:files/delete': 'deny' }))
    const [stdout, stderr] = [new PassThrough({ highWaterMark: 1 }), new PassThrough()]
    const program = 'process.stdin.on("data", (line) => process.stderr.write(line)).on("end", () => process.exit())'
    const edge = startStdio(program, { guard, stdout, stderr })
    edge.send([{ jsonrpc: '2.0', method: 'tools/call', params: { name: 'read' } }, call(1, 'delete')])
    const [reached] = await once(stderr, 'data')
    expect(JSON.parse(String(reached).replace('[files] ', ''))).toMatchObject({ params: { name: 'read' } })
    stdout.resume()
    await end(edge)
  })

  it('answers a line of the client that is not a message, and does not forward it', async () => {
    const edge = startStdio(echo)
    edge.send('{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}')
    expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32600 } })
    edge.send('not json')
    expect(await edge.receive()).toMatchObject({ id: null, error: { code: -32700 } })
    edge.send('')
    edge.send(request(2, 'ping'))
    expect(await edge.receive()).toMatchObject({ id: 2 })
    await end(edge)
  })

  it('does not forward a line of the server that is not a message', async () => {
    const edge = startStdio(echo)
    edge.send(request(1, 'ping', { write: 'Starting up…\n{"half":\n42\n\u0000\n' }))
    expect(await edge.receive()).toMatchObject({ id: 1 })
    expect(edge.warnings).toHaveLength(3)
    await end(edge)
  })

  it.each([
    '[debug] sending {"jsonrpc":"2.0","id":1,"result":{}}',
    'INFO: request {"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"level":"info","id":1,"msg":"got request"}',
    '{"level":"debug","id":1,"method":"ping","result":"ok"}',
    '{"level":"debug","id":1,"result":"sent"}',
    '{"id": 1, tool: ping}',
  ])('takes %s for a line of a log, and the answer that follows passes', async (line) => {
    const edge = startStdio(echo)
    edge.send(request(1, 'ping', { write: `${line}\n` }))
    expect(await edge.receive()).toMatchObject({ id: 1, result: expect.anything() })
    expect(edge.warnings).toHaveLength(1)
    await end(edge)
  })

  it('keeps the order of requests while one waits for its decision, and does not delay notifications', async () => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const before = ({ tool }: { tool: string }) => {
      asked.resolve()
      return tool === 'mcp:files/slow' ? release.promise : Promise.resolve()
    }
    const edge = startStdio(echo, { guard: policyGuard(allowAll, { before }) })
    const progress = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
    edge.send(call(1, 'slow'))
    edge.send(request(2, 'tools/list'))
    edge.send(progress)
    await asked.promise
    expect(await edge.receive()).toMatchObject(heard(progress))
    release.resolve()
    expect([await edge.receive(), await edge.receive()]).toMatchObject([{ id: 1 }, { id: 2 }])
    await end(edge)
  })

  it('cancels a call that waits for its decision, and the server gets neither', async () => {
    const asked = Promise.withResolvers<void>()
    const before = ({ signal }: { signal?: AbortSignal }) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve())
        asked.resolve()
      })
    const edge = startStdio(echo, { guard: policyGuard(allowAll, { before }) })
    edge.send(call(1, 'slow'))
    await asked.promise
    edge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    edge.send(request(2, 'ping'))
    expect(await edge.receive()).toMatchObject({ id: 2 })
    const late = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    edge.send(late)
    expect(await edge.receive()).toMatchObject(heard(late))
    await end(edge)
  })

  it('a cancellation does not remove an answer of a batch with the same id', async () => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const before = () => {
      asked.resolve()
      return release.promise
    }
    const edge = startStdio(echo, { guard: policyGuard(allowAll, { before }) })
    const answer = { jsonrpc: '2.0', id: 1, result: {} }
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    edge.send([answer, call(2, 'slow')])
    await asked.promise
    edge.send(cancelled)
    expect(await edge.receive()).toMatchObject(heard(cancelled))
    release.resolve()
    expect(await edge.receive()).toMatchObject({ params: { line: JSON.stringify(answer) } })
    expect(await edge.receive()).toMatchObject([{ id: 2, result: { line: JSON.stringify(call(2, 'slow')) } }])
    await end(edge)
  })

  it('tells a client after its handshake that its lists changed', async () => {
    const guard = policyGuard(allowAll)
    const edge = startStdio(echo, { guard })
    guard.change(allowAll)
    edge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(await edge.receive()).toMatchObject({ method: 'notifications/message' })
    guard.change(rulesFor({ '*': 'deny' }))
    expect(await edge.receive()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await end(edge)
  })
})

describe('when one side goes away', () => {
  it('a server that dies in a call ends the edge with its exit code, and the stream to the client', async () => {
    const edge = startStdio(echo)
    edge.send(request(1, 'ping', { exit: 3 }))
    expect(await edge.receive()).toMatchObject({ id: 1, error: { message: expect.stringContaining('exit code 3') } })
    expect(await edge.receive()).toBeNull()
    expect(await edge.code).toBe(3)
    expect(edge.warnings).toEqual(['a tool server ended with an error'])
  })

  it('a missing command ends the edge with 127, and the first request is answered with the reason', async () => {
    const edge = startStdio('', { command: '/no/such/program' })
    edge.send(request(1, 'initialize'))
    const message = expect.stringContaining('cannot start the program "/no/such/program"')
    expect(await edge.receive()).toMatchObject({ id: 1, error: { code: -32011, message } })
    expect(await edge.code).toBe(127)
    expect(edge.warnings).toEqual(['the edge could not start a tool server'])
  })

  it('a line of the server that does not end ends both', async () => {
    const edge = startStdio(echo, { maxResponseBytes: 1000 })
    edge.send(request(1, 'ping', { write: 'x'.repeat(20_000) }))
    while ((await edge.receive()) !== null);
    await edge.code
    expect(edge.warnings).toHaveLength(1)
  })

  it('ends a server that ignores its closed input, with its child processes', async () => {
    const deaf = `
      const { spawn } = require('node:child_process')
      process.on('SIGTERM', () => {})
      const inner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { pids: [process.pid, inner.pid] } }))
      setInterval(() => {}, 1000)`
    const stop = new AbortController()
    const edge = startStdio(deaf, { signal: stop.signal, graceMs: 50 })
    const { params } = await edge.receive()
    stop.abort()
    expect(await edge.code).toBe(137)
    for (const pid of params.pids) await gone(pid)
  })

  it('a killed edge ends its server', async () => {
    const program = `${echo}\nconsole.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { pid: process.pid } }))`
    const args = behindEdge('files', allowAll, [process.execPath, '-e', program])
    const edge = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = await once(edge.stdout, 'data')
    const { params } = JSON.parse(line)
    edge.stdin.write(`${JSON.stringify(call(1, 'never-answered'))}\n`)
    edge.kill('SIGKILL')
    await once(edge, 'exit')
    await gone(params.pid)
  })
})

/** Waits until a process has ended. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await pause(10)
  }
}

// May take over 10 s: starts a process for each server, as the edge does for its clients.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RequestTimeouts } from '../../../src/mcp/messages/request-timeouts.ts'
import { type GatewayWorld, newToken, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { statelessHeaders, statelessMeta } from '../testing/stateless-request.ts'
import { echo, largeAnswers, tooLongAnswer } from '../testing/stdio-world.ts'

const command = { command: process.execPath, args: ['-e', echo], env: {} }
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }
const ping = (params: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params })

async function post(world: GatewayWorld, message: object, headers: Record<string, string> = {}) {
  const answer = await world.send('files', { method: 'POST', body: JSON.stringify(message), headers })
  const text = await answer.text()
  const events = text.split('\n').filter((line) => line.startsWith('data: '))
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    messages: events.map((line) => JSON.parse(line.slice(6))),
  }
}

async function openSession(world: GatewayWorld): Promise<Record<string, string>> {
  const { headers } = await post(world, initialize)
  return { 'mcp-session-id': headers.get('mcp-session-id') as string }
}

async function withWorld(use: (world: GatewayWorld) => Promise<void>, options: Parameters<typeof startWorld>[1] = {}) {
  const world = await startWorld({ files: command }, options)
  await use(world).finally(world.close)
}

describe('a server that the gateway starts', () => {
  it('serves one session: answers its requests and ends with it', () =>
    withWorld(async (world) => {
      const session = await openSession(world)
      expect((await post(world, ping(), session)).messages).toMatchObject([
        { id: 1, result: { line: JSON.stringify(ping()) } },
      ])
      expect((await world.send('files', { method: 'DELETE', headers: session })).status).toBe(200)
      expect((await post(world, ping(), session)).status).toBe(404)
    }))

  it('has the calls of a session recorded under an id that does not reveal the session', () =>
    withWorld(async (world) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } }
      const sessions = [await openSession(world), await openSession(world)] as const
      for (const session of [sessions[0], sessions[0], sessions[1]]) await post(world, call, session)
      const ids = world.guard.decided.map(({ sessionId }) => sessionId)
      expect(ids[0]).toMatch(/^mcp-[0-9a-f]{32}$/)
      expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false])
      expect(sessions[0]['mcp-session-id']).not.toContain(ids[0]?.slice(4))
    }))

  it('gets no requests outside a session or from another client', async () => {
    const token = newToken()
    await withWorld(
      async (world) => {
        const session = await openSession(world)
        expect((await post(world, ping())).status).toBe(400)
        expect((await world.send('files', { method: 'GET' })).status).toBe(400)
        expect((await post(world, ping(), { ...session, authorization: `Bearer ${token}` })).status).toBe(404)
      },
      { clients: [{ token, guard: policyGuard(allowAll) }] },
    )
  })

  it('has its messages kept until the client listens, on one stream at a time', () =>
    withWorld(async (world) => {
      const session = await openSession(world)
      const note = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
      // The answer to a ping comes after the server's message for the note. If the ping's stream is open by then, it carries
      // both.
      const kept = async () => {
        expect((await post(world, note, session)).status).toBe(202)
        return (await post(world, ping(), session)).messages.length === 1
      }
      await expect.poll(kept, { timeout: 60_000 }).toBe(true)
      const listening = await world.send('files', { method: 'GET', headers: session })
      expect((await world.send('files', { method: 'GET', headers: session })).status).toBe(409)
      const reader = (listening.body as ReadableStream<Uint8Array>).getReader()
      const { value } = await reader.read()
      expect(new TextDecoder().decode(value)).toContain('notifications/message')
      await reader.cancel()
    }))

  it('ends its session and its call with an error when it dies, and the next session has a new server', () =>
    withWorld(async (world) => {
      const session = await openSession(world)
      expect((await post(world, ping({ exit: 1 }), session)).messages).toMatchObject([
        { id: 1, error: { code: -32011 } },
      ])
      expect((await post(world, ping(), session)).status).toBe(404)
      expect((await post(world, ping(), await openSession(world))).status).toBe(200)
    }))

  it('may write text that is not a message', () =>
    withWorld(async (world) => {
      const { messages } = await post(world, ping({ write: 'noise\n' }), await openSession(world))
      expect(messages).toMatchObject([{ id: 1 }])
      expect(world.warnings).toHaveLength(1)
    }))

  it('gets a batch with a denied call, and the client gets all answers', () =>
    withWorld(
      async (world) => {
        const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
        const { messages } = await post(world, [call(1, 'read'), call(2, 'delete')], await openSession(world))
        expect(messages).toHaveLength(2)
        expect(messages).toContainEqual(
          expect.objectContaining({ id: 1, result: { line: JSON.stringify(call(1, 'read')) } }),
        )
        expect(messages).toContainEqual(
          expect.objectContaining({ id: 2, result: expect.objectContaining({ isError: true }) }),
        )
      },
      { guard: policyGuard(rulesFor({ 'mcp:files/delete': 'deny' })) },
    ))

  it('refuses a request with the id of an open request, because their answers could be mistaken', () =>
    withWorld(
      async (world) => {
        const headers = await openSession(world)
        const silent = JSON.stringify(ping({ silent: true }))
        await world.send('files', { method: 'POST', headers, body: silent })
        for (const body of [ping(), [ping()]]) {
          const refused = await world.send('files', { method: 'POST', headers, body: JSON.stringify(body) })
          expect(refused.status).toBe(400)
          const error = { error: { code: -32600 } }
          expect(await refused.json()).toMatchObject(Array.isArray(body) ? [error] : error)
        }
        expect((await post(world, { ...ping(), id: '1' }, headers)).messages).toMatchObject([{ id: '1' }])
      },
      { limits: { drainMs: 0 } },
    ))

  it('is idle after its client disconnected in a call without an answer', () =>
    withWorld(
      async (world) => {
        const gone = new AbortController()
        const init = { method: 'POST', headers: await openSession(world), signal: gone.signal }
        const answer = await world.send('files', { ...init, body: JSON.stringify(ping({ silent: true })) })
        gone.abort()
        await expect(answer.text()).rejects.toThrow()
        while ((await post(world, initialize)).status !== 200);
      },
      { limits: { maxSessionsPerClient: 1, idleSessionMs: 200 } },
    ))

  it('ends when its session was idle too long', () =>
    withWorld(
      async (world) => {
        const session = await openSession(world)
        await expect
          .poll(async () => (await world.send('files', { method: 'DELETE', headers: session })).status)
          .toBe(404)
      },
      { limits: { idleSessionMs: 20 } },
    ))

  it('makes room for a new session of its client if its session is idle longest, and never if a client listens', () =>
    withWorld(
      async (world) => {
        const listening = await openSession(world)
        const stream = await world.send('files', { method: 'GET', headers: listening })
        const [older, newer] = [await openSession(world), await openSession(world)]
        expect((await post(world, ping(), older)).status).toBe(200)
        const latest = await openSession(world)
        expect((await post(world, ping(), newer)).status).toBe(404)
        for (const one of [older, latest, listening]) expect((await post(world, ping(), one)).status).toBe(200)
        const others = [await world.send('files', { method: 'GET', headers: older })]
        others.push(await world.send('files', { method: 'GET', headers: latest }))
        const body = JSON.stringify(initialize)
        const refused = await world.send('files', { method: 'POST', body })
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
        for (const one of [stream, ...others]) await one.body?.cancel()
      },
      { limits: { maxSessionsPerClient: 3 } },
    ))

  it('a listener gets comments, and a later listener takes over from one that may be dead', () =>
    withWorld(
      async (world) => {
        const headers = await openSession(world)
        const first = await world.send('files', { method: 'GET', headers })
        const reader = (first.body as ReadableStream<Uint8Array>).getReader()
        expect(new TextDecoder().decode((await reader.read()).value)).toBe(':\n\n')
        const listen = async () => (await world.send('files', { method: 'GET', headers })).status
        await expect.poll(listen).toBe(200)
        while (!(await reader.read()).done);
      },
      { limits: { keepAliveMs: 20 } },
    ))

  it('a call that is silent gets comments, so that its client does not give up', () =>
    withWorld(
      async (world) => {
        const headers = await openSession(world)
        const body = JSON.stringify(ping({ silent: true }))
        const { body: stream } = await world.send('files', { method: 'POST', headers, body })
        const reader = (stream as ReadableStream<Uint8Array>).getReader()
        for (let n = 0; n < 2; n++) expect(new TextDecoder().decode((await reader.read()).value)).toContain(':\n\n')
        await reader.cancel()
      },
      { limits: { keepAliveMs: 10 } },
    ))
})

it('a started server that sends too long a line gets no error for other requests, in a session and without one', async () => {
  const files = { command: process.execPath, args: ['-e', largeAnswers], env: {} }
  const world = await startWorld({ files }, { limits: { maxResponseBytes: 1_000_000 } })
  onTestFinished(world.close)
  const session = await openSession(world)
  for (const [id, name] of ['first', 'last', 'lost', 'short'].entries()) {
    const answer = ['first', 'last'].includes(name) ? tooLongAnswer : { result: { content: [] } }
    const call = (params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...params } })
    expect((await post(world, call({}), session)).messages).toMatchObject([{ id, ...answer }])
    const headers = { ...statelessHeaders('tools/call'), 'mcp-name': name }
    const alone = await post(world, call({ _meta: statelessMeta }), headers)
    expect(JSON.parse(alone.text)).toMatchObject({ id, ...answer })
  }
})

describe('a started server that does not answer in time', () => {
  const silent = `
    const fs = require('node:fs')
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
      if (method === 'notifications/cancelled') fs.writeFileSync(process.argv[1], JSON.stringify(params))
    })`

  it('answers the request with an error and cancels it, in a session and without one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-silent-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const cancelled = join(folder, 'cancelled')
    const files = { command: process.execPath, args: ['-e', silent, cancelled], env: {}, timeoutMs: 1500 }
    const world = await startWorld({ files })
    onTestFinished(world.close)
    const session = await openSession(world)
    const { messages } = await post(world, ping(), session)
    const late = 'The tool server took too long to answer. The request may have taken effect'
    expect(messages).toMatchObject([{ id: 1, error: { code: -32011, message: late } }])
    await expect
      .poll(() => existsSync(cancelled) && JSON.parse(readFileSync(cancelled, 'utf8')))
      .toMatchObject({ requestId: 1 })
    const message = { ...ping({ _meta: statelessMeta }), id: 7 }
    const alone = await post(world, message, statelessHeaders('ping'))
    expect([alone.status, JSON.parse(alone.text)]).toMatchObject([504, { id: 7, error: { code: -32011 } }])
  })

  it('gets its time again with each progress report, and has no limit for a subscription', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const late: unknown[] = []
    const timeouts = new RequestTimeouts(1000, (id) => late.push(id))
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } }
    const started = { jsonrpc: '2.0', method: 'ping' }
    timeouts.start({ ...started, id: 'slow', params: { _meta: { progressToken: 'p' } } })
    timeouts.start({ ...started, id: 'silent' })
    timeouts.start({ ...started, id: 'answered' })
    timeouts.start({ jsonrpc: '2.0', id: 'told', method: 'subscriptions/listen', params: {} })
    timeouts.take({ jsonrpc: '2.0', id: 'answered', result: {} })
    vi.advanceTimersByTime(900)
    timeouts.take(progress)
    timeouts.take({ ...progress, params: { progress: 1 } })
    vi.advanceTimersByTime(900)
    expect(late).toEqual(['silent'])
    vi.advanceTimersByTime(200)
    expect(late).toEqual(['silent', 'slow'])
    vi.advanceTimersByTime(10_000)
    expect(late).toEqual(['silent', 'slow'])
  })
})

describe('a server without sessions that the connections of a client share', () => {
  const stateless = (id: unknown, params: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'logging/setLevel',
    params: { ...params, _meta: { ...statelessMeta, progressToken: 'mine' } },
  })
  const later = `
    const waiting = []
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.params?.exit !== undefined) process.exit(message.params.exit)
      waiting.push(message)
      if (waiting.length < 2) return
      for (const { id, params } of waiting.splice(0).reverse()) {
        const progress = { progressToken: params._meta.progressToken, progress: 1 }
        console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress }))
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { asked: params.asked } }))
      }
    })`

  it('returns each answer to its request although ids and progress tokens are equal', async () => {
    const world = await startWorld({ files: { command: process.execPath, args: ['-e', later], env: {} } })
    const answers = await Promise.all(
      ['a', 'b'].map((asked) => post(world, stateless(1, { asked }), statelessHeaders('logging/setLevel'))),
    )
    await world.close()
    for (const [index, asked] of ['a', 'b'].entries()) {
      expect(answers[index]?.messages).toEqual([
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'mine', progress: 1 } },
        { jsonrpc: '2.0', id: 1, result: { asked } },
      ])
    }
  })

  it('when it dies in a call, the call is 502, and the next call has a new server', async () => {
    const world = await startWorld({ files: { command: process.execPath, args: ['-e', later], env: {} } })
    const died = await post(world, stateless(5, { exit: 1 }), statelessHeaders('logging/setLevel'))
    expect([died.status, JSON.parse(died.text)]).toMatchObject([502, { id: 5, error: { code: -32011 } }])
    const answers = await Promise.all([
      post(world, stateless(1), statelessHeaders('logging/setLevel')),
      post(world, stateless(2), statelessHeaders('logging/setLevel')),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await world.close()
  })

  it('gets no requests while it is being ended: a new one does, and both end with the gateway', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-ending-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const ended = join(folder, 'ended')
    const lingering = `
      const lines = require('node:readline').createInterface({ input: process.stdin })
      lines.on('line', (line) => {
        console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { pid: process.pid } }))
      })
      lines.on('close', () => {
        require('node:fs').writeFileSync(process.argv[1], '')
        setInterval(() => {}, 1000)
      })`
    const files = { command: process.execPath, args: ['-e', lingering, ended], env: {} }
    const world = await startWorld({ files }, { limits: { idleSessionMs: 200 } })
    const ask = async () =>
      JSON.parse((await post(world, stateless(1), statelessHeaders('logging/setLevel'))).text).result?.pid
    const first = await ask()
    await expect.poll(() => existsSync(ended), { timeout: 60_000 }).toBe(true)
    const second = await ask()
    await world.close()
    expect(second).not.toBe(first)
    for (const pid of [first, second]) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

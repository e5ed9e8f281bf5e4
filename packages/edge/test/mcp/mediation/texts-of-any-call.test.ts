import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerStream, type Scripted, startScripted } from '../testing/scripted-upstream.ts'
import { echo, startStdio } from '../testing/stdio-world.ts'

let upstream: Scripted
beforeAll(async () => {
  upstream = await startScripted()
})
afterAll(() => upstream.stop())

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'read', arguments: {} },
})

/** A guard that records which labels it must give to the session: those of a decision, or those of all calls to a server. */
function notingGuard() {
  const noted: string[] = []
  const sent: string[] = []
  const guard = {
    ...policyGuard(allowAll),
    noteResult: ({ decisionId }: { decisionId: string }) => {
      noted.push(decisionId)
      return null
    },
    noteSent: (server: string, { decisionId }: { decisionId: string }) => void sent.push(`${server} ${decisionId}`),
    noteText: (server: string, mayBeEarlier: boolean) => {
      noted.push(`${server}${mayBeEarlier ? ', also earlier calls' : ''}`)
      return null
    },
  }
  return { guard, noted, sent }
}

async function overHttp() {
  const { guard, noted, sent } = notingGuard()
  // Some calls are never answered, and the end of the edge must not wait for them.
  const world = await startWorld({ files: { url: upstream.url } }, { guard, limits: { drainMs: 0 } })
  onTestFinished(world.close)
  const post = async (body: object, headers = {}) =>
    await world.send('files', { method: 'POST', body: JSON.stringify(body), headers })
  return { noted, sent, post, listen: (headers = {}) => world.send('files', { method: 'GET', headers }) }
}

const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"message":"x"}}'
const result = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'

const lists = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const

describe('texts of a server over HTTP', () => {
  it('in the stream of a call are texts of any call; its answer is that of the call', async () => {
    const { noted, post } = await overHttp()
    upstream.script(answerStream(`data: ${progress}\n\ndata: ${result}\n\n`))
    await (await post(call(1))).text()
    expect(noted).toEqual(['files', 'decision-1'])
  })

  it('in a stream without a request may belong to calls of before the edge started or of another edge, unless its session began here and it is not resumed', async () => {
    const { noted, post, listen } = await overHttp()
    upstream.script((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end('{"jsonrpc":"2.0","id":1,"result":{}}'),
    )
    const opened = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    upstream.script(answerStream(`data: ${result}\n\n`))
    expect(await (await listen(session)).text()).toContain('content')
    expect(noted).toEqual(['files'])
    for (const headers of [{ ...session, 'last-event-id': 'a' }, { 'last-event-id': 'a' }, {}])
      await (await listen(headers)).text()
    expect(noted).toEqual(['files', ...Array(3).fill('files, also earlier calls')])
  })

  it('may be of a call that the server has not answered', async () => {
    const { sent, post } = await overHttp()
    upstream.script(() => {})
    const answered = post(call(1)).catch(() => {})
    await expect.poll(() => sent, { timeout: 60_000 }).toEqual(['files decision-1'])
    upstream.script(answerStream(`data: ${result}\n\n`))
    await (await post(call(1))).text()
    expect(sent).toContain('files decision-2')
    void answered
  })

  it('that are no messages are results of the call that was sent', async () => {
    const { noted, post } = await overHttp()
    upstream.script((response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('failed'))
    expect(await (await post(call(1))).text()).toBe('failed')
    expect(noted).toEqual(['decision-1'])
    await (await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).text()
    expect(noted).toEqual(['decision-1', 'files'])
  })

  it('that answer a question of another kind than a call are texts of any call', async () => {
    const { noted, post } = await overHttp()
    upstream.script(answerStream(`data: ${result}\n\n`))
    await (await post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: {} })).text()
    expect(noted).toEqual(['files'])
  })

  it.each(lists)(
    'in an answer to %s are texts of any call, unless the request asked for them',
    async (method, name) => {
      const { noted, post } = await overHttp()
      const answer = async (part: object) => {
        upstream.script(answerStream(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, ...part })}\n\n`))
        await (await post({ jsonrpc: '2.0', id: 1, method, params: {} })).text()
      }
      const list = { [name]: [], nextCursor: '2', ttlMs: 1, cacheScope: 'private', resultType: 'complete' }
      await answer({ result: list })
      expect(noted).toEqual([])
      const texts = [
        { error: { code: 1, message: 'x' } },
        { result: { ...list, _meta: { x: 'x' } } },
        { result: { ...list, [name]: 'x' } },
        { result: { content: [] } },
      ]
      for (const text of texts) await answer(text)
      expect(noted).toEqual(texts.map(() => 'files'))
    },
  )

  it.each(['tasks/result', 'tasks/get', 'tasks/list'])(
    'of tasks may belong to calls that another edge sent: %s',
    async (method) => {
      const { noted, post } = await overHttp()
      const status = '{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"statusMessage":"x"}}'
      upstream.script(answerStream(`data: ${status}\n\ndata: ${result}\n\n`))
      await (await post({ jsonrpc: '2.0', id: 1, method, params: {} })).text()
      expect(noted).toEqual(['files, also earlier calls', 'files, also earlier calls'])
    },
  )
})

describe('a request on standard input with the id of an open request', () => {
  it('is refused, alone and in a batch, before the policy decides it', async () => {
    const { guard, noted } = notingGuard()
    const { send, receive, stdin, code } = startStdio(echo, { guard, drainMs: 0 })
    send(call(1))
    send({ jsonrpc: '2.0', id: 2, method: 'ping', params: { silent: true } })
    expect(await receive()).toMatchObject({ id: 1, result: {} })
    send(call(2))
    expect(await receive()).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32600, message: 'Another request with this id has no answer yet: use another id' },
    })
    send([call(3), call(2)])
    expect(await receive()).toMatchObject([3, 2].map((id) => ({ id, error: { code: -32600 } })))
    expect(guard.decided.length).toBe(1)
    expect(noted).toEqual(['decision-1'])
    stdin.end()
    await code
  })
})

// May take over 10 s: sends every secret through every carrier of a started edge.
import { beforeAll, describe, expect, it } from 'vitest'
import { joinControlPlane, type Organization, type TestAgent } from '../control-plane.ts'
import type { Json } from '../middle.ts'
import { onStdio, overJson, overStream } from './content-carriers.ts'

/** In parts, so that no tool takes the source of the test for a leak. */
const secret = ['AKIA', 'QYLPMN5HHHFPZAM2'].join('')
const card = ['4111 1111', '1111 1111'].join(' ')
let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane({ plan: 'pro' })
})

async function agentWith(...bindings: [group: string, on: string, action: string][]): Promise<TestAgent> {
  const agent = await plane.newAgent({ default_effect: 'allow', dlp_enabled: true })
  const given = bindings.map(([group, on, action]) => ({ group, on, action }))
  await plane.ask('PUT', `/policies/${agent.policyId}/content-bindings`, { bindings: given })
  return agent
}

const ways = [
  ['on standard input and output', onStdio],
  ['over HTTP, as JSON', overJson],
  ['over HTTP, as a stream of events', overStream],
] as const

const answer = (result: Json) => JSON.stringify({ jsonrpc: '2.0', id: '$id', result })
const failure = (error: Json) => JSON.stringify({ jsonrpc: '2.0', id: '$id', error })
const notice = (method: string, params: Json) => JSON.stringify({ jsonrpc: '2.0', method, params })
const question = (method: string, params: Json) => JSON.stringify({ jsonrpc: '2.0', id: 'q', method, params })
const done = answer({ content: [] })
const base64 = (text: string) => Buffer.from(text).toString('base64')

const call = (args: Json = {}, more: Json = {}) => ({
  method: 'tools/call',
  params: { name: 't', arguments: args, ...more },
})
const read = { method: 'resources/read', params: { uri: 'file:///a' } }
const prompt = { method: 'prompts/get', params: { name: 'p' } }
const complete = {
  method: 'completion/complete',
  params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } },
}

/** For each place of a server's text: the request, and the lines that the server sends. */
const carriers: Record<string, [request: Json, ...lines: string[]]> = {
  text: [call(), answer({ content: [{ type: 'text', text: `a ${secret} b` }] })],
  'structured content': [call(), answer({ content: [], structuredContent: { a: { b: [secret] } } })],
  'JSON in a text': [call(), answer({ content: [{ type: 'text', text: JSON.stringify({ a: `"${secret}"` }) }] })],
  'embedded resource': [
    call(),
    answer({ content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: secret } }] }),
  ],
  'text in base64': [
    call(),
    answer({
      content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', blob: base64(secret) } }],
    }),
  ],
  '_meta of a result': [call(), answer({ content: [], _meta: { 'a/b': secret } })],
  'result of an older revision, with the fields of an opening': [
    call(),
    answer({ protocolVersion: 'x', toolResult: secret }),
  ],
  'a question in a result, with the fields of an opening': [
    call(),
    answer({
      protocolVersion: 'x',
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create', params: { message: secret } } },
    }),
  ],
  'a list in the result of a call': [call(), answer({ tools: [{ name: 'a', description: secret, inputSchema: {} }] })],
  'a list of another kind': [
    { method: 'tools/list' },
    answer({ tools: [], prompts: [{ name: 'a', description: secret }] }),
  ],
  'a list that is no list': [{ method: 'prompts/list' }, answer({ prompts: secret })],
  'result of a request without results': [
    { method: 'logging/setLevel', params: { level: 'info' } },
    answer({ a: secret }),
  ],
  'message of an error': [call(), failure({ code: 1, message: secret })],
  'data of an error, with the fields of an opening': [
    call(),
    failure({ code: 1, message: 'a', protocolVersion: 'x', data: { tools: [secret] } }),
  ],
  'error of a list': [{ method: 'tools/list' }, failure({ code: 1, message: 'a', tools: [secret] })],
  resource: [read, answer({ contents: [{ uri: 'file:///a', text: secret }] })],
  prompt: [prompt, answer({ messages: [{ role: 'user', content: { type: 'text', text: secret } }] })],
  completion: [complete, answer({ completion: { values: [secret] } })],
  task: [{ method: 'tasks/get', params: { taskId: 'a' } }, answer({ taskId: 'a', statusMessage: secret })],
  progress: [call(), notice('notifications/progress', { progressToken: 1, progress: 1, message: secret }), done],
  'log message': [call(), notice('notifications/message', { level: 'info', data: { a: secret } }), done],
  sampling: [
    call(),
    question('sampling/createMessage', {
      maxTokens: 1,
      messages: [{ role: 'user', content: { type: 'text', text: secret } }],
    }),
    done,
  ],
  elicitation: [call(), question('elicitation/create', { message: secret, requestedSchema: { type: 'object' } }), done],
  'a batch in one line': [call(), `[${notice('notifications/message', { level: 'info', data: secret })},${done}]`],
}

/** What the client must never get, whatever the action is. */
const refused: Record<string, [request: Json, ...lines: string[]]> = {
  'a result and an error': [
    call(),
    JSON.stringify({ jsonrpc: '2.0', id: '$id', result: { content: [] }, error: { code: 1, message: secret } }),
  ],
  'an answer with an id of another type': [
    call(),
    JSON.stringify({ jsonrpc: '2.0', id: 'other', result: { content: [{ type: 'text', text: secret }] } }),
    done,
  ],
  'the id of a request': [call(), JSON.stringify({ jsonrpc: '2.0', id: secret, method: 'ping' }), done],
  'a text of 10 MiB': [call(), answer({ content: [{ type: 'text', text: `${secret} ${'a'.repeat(10 << 20)}` }] })],
  'a binary under a text type': [
    call(),
    answer({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'file:///a',
            mimeType: 'text/plain',
            blob: Buffer.from(`\xff${secret}`, 'latin1').toString('base64'),
          },
        },
        { type: 'text', text: secret },
      ],
    }),
  ],
  'half of a surrogate pair': [call(), answer({ content: [{ type: 'text', text: `\ud800 ${secret}` }] })],
  'bytes that are not UTF-8': [call(), answer({ content: [{ type: 'text', text: `\xc3( ${secret}` }] })],
  'nesting of 10,000 levels': [
    call(),
    answer({ content: [], structuredContent: 1 }).replace(
      ':1}',
      `:${'['.repeat(10_000)}"${secret}"${']'.repeat(10_000)}}`,
    ),
  ],
}

/** Says for each carrier what the client got. */
async function outcomes(carried: typeof carriers, ask: (message: Json, lines: readonly string[]) => Promise<string>) {
  const found: Record<string, string> = {}
  let id = 0
  for (const [name, [request, ...lines]] of Object.entries(carried)) {
    const text = await ask({ jsonrpc: '2.0', id: ++id, ...request }, lines)
    const isIn = text.includes(secret) || text.includes(base64(secret))
    const isRedacted = text.includes('[redacted:') || text.includes(base64('[redacted:').slice(0, 12))
    found[name] = isIn ? 'leaked' : isRedacted ? 'redacted' : 'stopped'
  }
  return found
}

const all = (carried: object, outcome: string) =>
  Object.fromEntries(Object.keys(carried).map((name) => [name, outcome]))

describe.each(ways)('texts of a server in every place of MCP, %s', (_where, reach) => {
  it('are redacted, also if a value comes in several chunks', async () => {
    const { ask } = await reach(plane.server.url, await agentWith(['secrets', 'results', 'redact']))
    expect(await outcomes(carriers, ask)).toEqual(all(carriers, 'redacted'))
    expect(await outcomes(refused, ask)).toEqual({
      ...all(refused, 'stopped'),
      // On standard output and in events, such bytes become a replacement character.
      ...(reach === overJson ? {} : { 'bytes that are not UTF-8': 'redacted' }),
    })
  })

  it('are withheld', async () => {
    const { ask } = await reach(plane.server.url, await agentWith(['secrets', 'results', 'deny']))
    expect(await outcomes({ ...carriers, ...refused }, ask)).toEqual(all({ ...carriers, ...refused }, 'stopped'))
  })

  it('are redacted in the text and in the structured content of one result', async () => {
    const { ask } = await reach(plane.server.url, await agentWith(['financial', 'results', 'redact']))
    const result = { content: [{ type: 'text', text: `card ${card}` }], structuredContent: { card, list: [card] } }
    const text = await ask({ jsonrpc: '2.0', id: 1, ...call() }, [answer(result)])
    const [, json] = /({"jsonrpc":"2.0","id":1,.*})/.exec(text) ?? []
    const masked = '[redacted:Payment card number]'
    expect(JSON.parse(json ?? '').result).toMatchObject({
      content: [{ type: 'text', text: `card ${masked}` }],
      structuredContent: { card: masked, list: [masked] },
    })
  })

  it('are searched for the digits of integers above 2^53, which pass unchanged', async () => {
    const { ask } = await reach(plane.server.url, await agentWith(['financial', 'results', 'redact']))
    const resultOf = (fields: string) =>
      `{"jsonrpc":"2.0","id":"$id","result":{"content":[],"structuredContent":{${fields}}}}`
    const passed = async (fields: string) => await ask({ jsonrpc: '2.0', id: 1, ...call() }, [resultOf(fields)])
    const id = '"id":123456789012345678'
    expect(await passed(id)).toContain(id)
    const redacted = await passed(`${id},"card":"${card}"`)
    expect(redacted).toContain(id)
    expect(redacted).toContain('[redacted:Payment card number]')
    const longCard = '4111111111111111110'
    for (const fields of [`"card":${longCard}`, `${id},"list":[${longCard}.0]`, '"card":4.11111111111111111e18']) {
      const text = await passed(fields)
      expect(text).toContain('Withheld by policy')
      expect(text).not.toMatch(/4\.?1{10}/)
    }
  })
})

/** For each place of a client's text, besides the arguments of calls: the message. */
const sent: Record<string, Json> = {
  'an answer to a question': { id: 'q', result: { content: { type: 'text', text: secret } } },
  'an error to a question': { id: 'q', error: { code: 1, message: secret } },
  'an update of a task': { id: 1, method: 'tasks/update', params: { taskId: 'a', inputResponses: { a: secret } } },
  '_meta of a call': { id: 2, ...call({}, { _meta: { 'a/b': secret } }) },
  'the name of a tool': { id: 6, method: 'tools/call', params: { name: secret } },
  'the name of a prompt': { id: 7, method: 'prompts/get', params: { name: secret } },
  'a cursor': { id: 3, method: 'tools/list', params: { cursor: secret } },
  'the id of a request': { id: secret, method: 'tools/list' },
  'the id of a call': { id: secret, ...call() },
  progress: { method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: secret } },
  'a reason of a cancellation': { method: 'notifications/cancelled', params: { requestId: 77, reason: secret } },
  'a name of the client': {
    id: 4,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: secret, version: '1' } },
  },
  'a subscription': { id: 5, method: 'subscriptions/listen', params: { notifications: { taskIds: [secret] } } },
}

describe.each(ways)('texts of a client in every place of MCP, %s', (_where, reach) => {
  it.each(['deny', 'require_approval', 'redact'])('do not reach the server if they match: %s', async (action) => {
    const agent = await agentWith(['secrets', 'arguments', action])
    const { ask, received } = await reach(plane.server.url, agent)
    for (const [name, message] of Object.entries(sent)) {
      await ask({ jsonrpc: '2.0', ...message }, [done])
      expect((await received()).includes(secret), name).toBe(false)
    }
    // The server waits for an answer to its question.
    expect(await received()).toContain('Stopped by policy')
    await ask({ jsonrpc: '2.0', id: 'q', result: { action: 'decline' } }, [done])
    await ask({ jsonrpc: '2.0', id: 9, ...call({ a: 'fine' }) }, [done])
    expect(await received()).toMatch(/"decline"[\s\S]*"fine"/)
    await ask({ jsonrpc: '2.0', ...sent.progress }, [done])
    const recorded = async () =>
      (await plane.ask('GET', `/decisions?agent_id=${agent.id}`)).data.find(({ effect }: Json) => effect === 'allow')
        ?.content
    // Nothing in a message that is not a call can be redacted.
    const content = [{ on: 'arguments', count: 1, action: action === 'redact' ? 'deny' : action }]
    await expect.poll(recorded, { timeout: 60_000 }).toMatchObject(content)
  })

  it('hold a call with a key in an argument, until a person approves it', async () => {
    const agent = await agentWith(['secrets', 'arguments', 'require_approval'])
    const { ask, received } = await reach(plane.server.url, agent)
    const held = await ask({ jsonrpc: '2.0', id: 1, ...call({ text: secret }) }, [done])
    expect(held).toContain("Held for a person's approval")
    expect((await received()).includes(secret)).toBe(false)
    const { data } = await plane.ask('GET', `/approvals?agent_id=${agent.id}`)
    expect(data).toMatchObject([{ arguments: { text: '[redacted:AWS access key id]' }, arguments_exact: false }])
    await plane.ask('POST', `/approvals/${data[0].id}/resolve`, { outcome: 'approved' })
    await ask({ jsonrpc: '2.0', id: 2, ...call({ text: `${secret} ` }) }, [done])
    expect((await received()).includes(secret)).toBe(false)
    const passed = await ask({ jsonrpc: '2.0', id: 3, ...call({ text: secret }) }, [done])
    expect(passed).toContain('"id":3,"result":{"content":[]}')
    expect((await received()).includes(secret)).toBe(true)
  })
})

it('headers of a client that match do not reach the server, and the others do', async () => {
  const agent = await agentWith(['secrets', 'arguments', 'deny'])
  const { send, script } = await overJson(plane.server.url, agent)
  const names = ['baggage', 'tracestate', 'user-agent', 'accept-language', 'last-event-id']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = {
    ...Object.fromEntries(names.map((name) => [name, `a=${secret}`])),
    'mcp-param-a': `=?base64?${base64(secret)}?=`,
    traceparent: 'a',
  }
  script.script((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}'),
  )
  expect((await send({ method: 'POST', body, headers })).status).toBe(200)
  const got = JSON.stringify(script.received)
  expect([got.includes(secret), got.includes(base64(secret))]).toEqual([false, false])
  expect(script.received[0]?.headers).toMatchObject({ traceparent: 'a' })
})

it.each([
  [400, 'text/plain', `failed: ${secret}`],
  [500, 'text/html', `<p>${secret}</p>`],
  [400, 'application/json', JSON.stringify({ content: [{ type: 'text', text: secret }] })],
  [400, 'application/json', JSON.stringify([{ error: secret }])],
  [
    404,
    'application/json',
    JSON.stringify({ jsonrpc: '2.0', id: 'server-error', error: { code: 1, message: secret } }),
  ],
  [400, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: secret } })],
])('a body without an answer is inspected: status %d, %s', async (status, type, body) => {
  for (const action of ['deny', 'redact']) {
    const { send, script } = await overJson(plane.server.url, await agentWith(['secrets', 'results', action]))
    script.script((response) => response.writeHead(status, { 'content-type': type }).end(body))
    const answered = await send({ method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call() }) })
    const text = await answered.text()
    expect(answered.status).toBe(status)
    expect(text.includes(secret)).toBe(false)
    expect(text).toContain(action === 'deny' ? 'Withheld by policy' : '[redacted:AWS access key id]')
  }
})

it('comments, ids, types and unknown fields of events do not carry text past content rules', async () => {
  const { send, script } = await overStream(plane.server.url, await agentWith(['secrets', 'results', 'deny']))
  const opened = [`: ${secret}`, `id: ${secret}`, `event: ${secret}`, `other: ${secret}`, 'retry: 5', 'data: ', '', '']
  const last = ['id: 7', `: ${secret}`, `data: {"jsonrpc":"2.0","id":1,`, 'data: "result":{"content":[]}}', '', '']
  script.script((response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end([...opened, `: ${secret}`, '', ...last].join('\n')),
  )
  const answered = await send({ method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call() }) })
  const text = await answered.text()
  expect(text.includes(secret)).toBe(false)
  expect(text).toBe(
    'retry: 5\ndata: \n\n:\n\nid: 7\ndata: {"jsonrpc":"2.0","id":1,\ndata: "result":{"content":[]}}\n\n',
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxDepth } from '../../../src/json/name-ambiguity.ts'
import { passServerText } from '../../../src/mcp/mediation/pass-server-text.ts'
import { readMessage } from '../../../src/mcp/messages/read-message.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { answerJson, answerStream, startScripted } from '../testing/scripted-upstream.ts'
import { statelessHeaders, statelessMeta } from '../testing/stateless-request.ts'
import { echo, startStdio } from '../testing/stdio-world.ts'

const deep = `${'['.repeat(maxDepth + 1)}${']'.repeat(maxDepth + 1)}`
const guard = policyGuard(allowAll)
const passage = { guard, server: 'files', log: { info: () => {}, warn: () => {} } }

/** An id as it is written in a text, also one that no double represents. */
const writtenId = fc.oneof(
  fc.string().map((id) => JSON.stringify(id)),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.constantFrom('1.5', '1e3', '-0.25', '"\\u0061\\"}"'),
)
/** What makes the edge refuse a message, as a further field of it. */
const fault = fc.constantFrom(
  `"params":{"a":${deep}}`,
  '"params":{"a":1,"a":2}',
  '"params":{"id":3,"n":9007199254740993}',
  '"params":{"list":[{"id":4,"method":"x"},1e999]}',
  '"extra":{"id":5}',
  '"jsonrpc":"2.0"',
  '"params":{"id":6},',
  '"params":{"text":"unended',
)
const method = fc.constantFrom(['"method":"tools/call"'], ['"mehtod":"tools/call"'], [])
const space = fc.constantFrom('', ' ', '\t', ' \r ')

it('property: a refused request is answered with its id, as it is written, wherever the id is in the text', () => {
  fc.assert(
    fc.property(writtenId, fault, method, space, fc.boolean(), (id, wrong, named, gap, isFirst) => {
      const fields = ['"jsonrpc":"2.0"', ...named]
      const key = `${gap}"id"${gap}:${gap}${id}${gap}`
      const all = isFirst ? [key, ...fields, wrong] : [...fields, key, wrong]
      const read = readMessage(Buffer.from(`{${all.join(',')}}`))
      expect(read.ok).toBe(false)
      if (!read.ok) expect(JSON.stringify(read.answers[0])).toContain(`"id":${id},"error"`)
    }),
  )
})

it('property: each request of a refused batch is answered, and no notification and no answer is', () => {
  const kind = fc.constantFrom('request', 'notification', 'answer')
  fc.assert(
    fc.property(fc.array(kind, { minLength: 1, maxLength: 8 }), fault, (kinds, wrong) => {
      const parts = { request: '"method":"ping"', notification: '"method":"ping"', answer: '"result":{}' }
      const messages = kinds.map((one, index) => {
        const id = one === 'notification' ? '' : `"id":${index},`
        return `{"jsonrpc":"2.0",${id}${parts[one as keyof typeof parts]}}`
      })
      const bad = `{"jsonrpc":"2.0","method":"ping",${wrong}}`
      const read = readMessage(Buffer.from(`[${[...messages, bad].join(',')}]`))
      const asked = kinds.flatMap((one, id) => (one === 'request' ? [{ id }] : []))
      expect(read.ok ? null : read.answers.flat()).toMatchObject(asked.length > 0 ? asked : [{ id: null }])
      expect(read.ok ? null : read.replies).toHaveLength(kinds.filter((one) => one === 'answer').length)
    }),
  )
})

it('property: every text gets a bounded number of answers', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
    '"id"',
    '"id":1',
    '"method":"a"',
    ' ',
    '12',
    'é',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const read = readMessage(Buffer.from(pieces.join('')))
      if (!read.ok) expect(read.answers.length).toBeGreaterThan(0)
    }),
  )
  const many = readMessage(Buffer.from(`[${Array(20_000).fill('{"id":1,"method":"a"}').join(',')}]`))
  expect(many.ok ? null : many.answers.flat().length).toBe(1000)
})

it('takes no id of which the text has two that differ', () => {
  const read = readMessage(Buffer.from('{"jsonrpc":"2.0","id":1,"id":2,"id":1,"method":"ping"}'))
  expect(read).toMatchObject({ ok: false, answers: [{ id: null }] })
})

it('property: an answer of the server that the edge drops becomes an error for its request, which says why', () => {
  const bad = fc.constantFrom(
    [`"result":{"a":${deep}}`, 'Nested deeper'],
    ['"result":{"a":1,"a":2}', 'same key twice'],
    ['"result":{},"extra":1', 'unknown field'],
    ['"result":{},"error":{"code":1,"message":""}', 'both a result and an error'],
    ['"result":{},"params":{}', 'both a request and an answer'],
    ['"result":{},', 'not valid JSON'],
  )
  const id = fc.oneof(fc.string(), fc.integer())
  fc.assert(
    fc.property(id, bad, fc.boolean(), (requestId, [body, why], isBatch) => {
      const text = `{"jsonrpc":"2.0","id":${JSON.stringify(requestId)},${body}}`
      const passed = passServerText(isBatch ? `[${text}]` : text, passage, () => {})
      expect(passed?.messages).toMatchObject([
        { id: requestId, error: { code: -32011, message: expect.stringContaining(why as string) } },
      ])
      expect(JSON.parse(passed?.text ?? '')).toEqual(isBatch ? passed?.messages : passed?.messages[0])
    }),
  )
})

it.each(['\0', '\x1b[32m', ',', '\uFFFD'])('an answer that %j damages becomes an error for its request', (before) => {
  const passed = passServerText(`${before}{"jsonrpc":"2.0","id":1,"result":{}}`, passage, () => {})
  expect(passed?.messages).toMatchObject([{ id: 1, error: { code: -32011 } }])
})

it.each([
  '{"id":1,"result":{},"took":3}',
  '{"Jsonrpc":"2.0","id":1,"result":{}}',
  `[null,{"jsonrpc":"2.0","id":1,"result":${deep}}]`,
])('%s becomes an error for its request', (text) => {
  expect(passServerText(text, passage, () => {})?.messages).toMatchObject([{ id: 1, error: { code: -32011 } }])
})

it.each([
  ['json', ''],
  ['stream', 'id: 4\ndata: \n\n'],
  ['stream', 'id: 4\n'],
  ['stream', ''],
])(
  'an answer with the id of a number as text, in a body of the kind %s that begins with %j, has the id of its request',
  async (kind, first) => {
    const upstream = await startScripted()
    const world = await startWorld({ files: { url: upstream.url } })
    const ask = async (text: string) => {
      upstream.script(kind === 'json' ? answerJson(text) : answerStream(`${first}data: ${text}\n\n`))
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x' } })
      return (await world.send('files', { method: 'POST', body })).text()
    }
    expect(await ask('{"jsonrpc":"2.0","id":"7","result":{}}')).toContain('"id":7,"result"')
    // Of a stream with an id, the client can ask for the rest. It does not get the id of an event that the edge drops.
    const lost = await ask('{"jsonrpc":"2.0","id":"8","result":{}}')
    if (!first.endsWith('\n\n'))
      expect(lost).toMatch(/"id":7,"error":.*(sent no valid answer|ended its stream before it answered)/)
    else expect(lost).not.toContain('error')
    await world.close()
    await upstream.stop()
  },
)

it.each([
  [202, '', [1]],
  [204, '', [1]],
  [200, ' ', [1, 2, 3]],
  [200, '[ ]', [1, 'a']],
  [200, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}', [1]],
  [200, '[{"jsonrpc":"2.0","id":2,"result":{}}]', [1, 2, 3]],
  [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"No"}}', [1]],
  [200, '[{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"No"}}]', [1]],
])(
  'over HTTP, an answer %i of %j to the requests %j gets an error for each that has none',
  async (status, text, ids) => {
    const upstream = await startScripted()
    const world = await startWorld({ files: { url: upstream.url } })
    upstream.script((response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text))
    const asked = ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } }))
    const answer = await world.send('files', {
      method: 'POST',
      body: JSON.stringify(ids.length > 1 ? asked : asked[0]),
    })
    const body = await answer.json()
    expect(Array.isArray(body)).toBe(ids.length > 1)
    const answers = [body].flat()
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(ids))
    for (const { id, error } of answers) expect(error?.code).toBe(text.includes(`"id":${id},`) ? undefined : -32011)
    await world.close()
    await upstream.stop()
  },
)

it('property: over HTTP, an answer that the server breaks off anywhere is an error for each request', async () => {
  const upstream = await startScripted()
  const world = await startWorld({ files: { url: upstream.url } })
  const requests = fc.array(fc.oneof(fc.nat(), fc.string({ minLength: 1 })), { minLength: 1, maxLength: 3 })
  const kinds = fc.constantFrom<[isStream: boolean, status: number]>(
    [true, 200],
    [false, 200],
    [false, 500],
    [false, 400],
  )
  await fc.assert(
    fc.asyncProperty(
      requests,
      kinds,
      fc.boolean(),
      fc.nat(),
      async (given, [isStream, status], isChunked, position) => {
        const ids = [...new Set(given)]
        const asked = ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } }))
        const answers = JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, result: { text: 'é' } })))
        const whole = Buffer.from(isStream ? `: a\n\ndata: ${answers}\n\n` : answers)
        upstream.script((response) => {
          const length = isChunked ? {} : { 'content-length': whole.length }
          response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...length })
          response.write(whole.subarray(0, position % (whole.length - 1)), () => response.destroy())
        })
        const body = JSON.stringify(ids.length > 1 ? asked : asked[0])
        const answer = await world.send('files', { method: 'POST', body })
        const got = (await answer.text()).split('\n').filter((line) => line.includes('"error"'))
        const errors = got.flatMap((line) => JSON.parse(line.replace(/^data: /, '')))
        expect(errors.map(({ id, error }) => [id, error.message])).toEqual(
          ids.map((id) => [id, expect.stringMatching(/^The tool server .*The request may have taken effect$/)]),
        )
        if (!isStream && ids.length === 1) expect(answer.status).toBe(502)
      },
    ),
    { numRuns: 40 },
  )
  await world.close()
  await upstream.stop()
})

it.each(['\n', '\r\n', '\r'])('over HTTP, a stream may end right after an event whose lines end in %j', async (end) => {
  const upstream = await startScripted()
  const world = await startWorld({ files: { url: upstream.url } })
  upstream.script(answerStream(`event: message${end}data: {"jsonrpc":"2.0","id":1,"result":{}}${end}${end}`))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const text = await (await world.send('files', { method: 'POST', body })).text()
  expect(text).toContain('data: {"jsonrpc":"2.0","id":1,"result":{}}')
  expect(text).not.toContain('error')
  await world.close()
  await upstream.stop()
})

it('over HTTP, the error for a request has the text of an error without an id', async () => {
  const upstream = await startScripted()
  const world = await startWorld({ files: { url: upstream.url } })
  upstream.script(answerJson('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error at 7"}}'))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const answer = await world.send('files', { method: 'POST', body })
  expect([answer.status, (await answer.json()).error.message]).toEqual([
    502,
    'The tool server sent no valid answer to the request (status 200): Parse error at 7',
  ])
  await world.close()
  await upstream.stop()
})

it.each([
  ['of two calls that the edge sent', {}],
  ['of a call beside one that it denied', { 'mcp:files/y': 'deny' as const }],
])('over HTTP, an answer %s keeps its numbers', async (_which, effects) => {
  const upstream = await startScripted()
  const world = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(rulesFor(effects)) })
  upstream.script(answerJson('[{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}]'))
  const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
  const body = JSON.stringify([call(1, 'x'), call(2, 'y')])
  const text = await (await world.send('files', { method: 'POST', body })).text()
  expect(text).toContain('{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}')
  expect(JSON.parse(text)).toMatchObject([{ id: 1 }, { id: 2 }])
  await world.close()
  await upstream.stop()
})

it('property: a request of the server that the edge drops is answered with an error, as its id is written', () => {
  fc.assert(
    fc.property(writtenId, (id) => {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":${deep}}`
      expect(JSON.stringify(passServerText(text, passage, () => {})?.replies)).toContain(`"id":${id},"error"`)
    }),
  )
})

it('a closed edge says of a dropped answer only that it is closed', () => {
  const shut = policyGuard(allowAll)
  shut.shut({ code: 'no_profile', reason: 'the agent is frozen' })
  const text = `{"jsonrpc":"2.0","id":1,"result":{"a":${deep}}}`
  expect(passServerText(text, { ...passage, guard: shut }, () => {})?.messages).toMatchObject([
    { id: 1, error: { code: -32010 } },
  ])
})

it('on standard input and output, the client gets the error of a refused request and of a dropped answer', async () => {
  const edge = startStdio(echo)
  edge.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"n":9007199254740993}}}`)
  expect(await edge.receive()).toMatchObject({ id: 'a', error: { code: -32600 } })
  const write = `{"jsonrpc":"2.0","id":2,"result":{"a":${deep}}}\n`
  edge.send({ jsonrpc: '2.0', id: 2, method: 'ping', params: { silent: true, write } })
  expect(await edge.receive()).toMatchObject({ id: 2, error: { code: -32011 } })
  edge.send({ jsonrpc: '2.0', id: 3, method: 'ping', params: { silent: true, write: '{"jsonrpc":"2.0","id":3}\n' } })
  expect(await edge.receive()).toMatchObject({ id: 3, error: { code: -32011 } })
  const asText = '{"jsonrpc":"2.0","id":"0","result":{}}\n'
  edge.send({ jsonrpc: '2.0', id: 0, method: 'ping', params: { silent: true, write: asText } })
  expect(await edge.receive()).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
  const asNumber = '[{"jsonrpc":"2.0","id":5,"result":{}}]\n'
  edge.send({ jsonrpc: '2.0', id: '5', method: 'ping', params: { silent: true, write: asNumber } })
  expect(await edge.receive()).toEqual([{ jsonrpc: '2.0', id: '5', result: {} }])
  edge.send('{"jsonrpc":"2.0","id":7,"result":{"n":9007199254740993}}')
  expect(await edge.receive()).toMatchObject({ id: null, error: { code: -32600 } })
  const { params } = await edge.receive()
  expect(JSON.parse(params.line)).toMatchObject({ id: 7, error: { code: -32600 } })
  edge.stdin.end()
  await edge.code
})

describe('over HTTP, in place of a refused answer of the client', () => {
  const long = `{"jsonrpc":"2.0","result":{"a":"${'x'.repeat(3000)}"},"id":"q1"}`
  const answers: [string, string, number][] = [
    ['an answer with an inexact number', '{"jsonrpc":"2.0","id":"q1","result":{"score":0.1234567890123456789}}', 400],
    ['an answer with a key twice', '{"jsonrpc":"2.0","id":"q1","result":{"a":1,"a":2}}', 400],
    ['an answer that is too long', long, 413],
  ]

  it.each(answers)('a server gets an error for the id of %s', async (_what, body, status) => {
    const upstream = await startScripted()
    const world = await startWorld({ files: { url: upstream.url } }, { limits: { maxRequestBytes: 2000 } })
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}', 200, { 'mcp-session-id': 's-1' }))
    const opened = await world.send('files', { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}' })
    upstream.script((response) => void response.writeHead(202).end())
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    expect((await world.send('files', { method: 'POST', body, headers })).status).toBe(status)
    const inParts = { method: 'POST', body: new Blob([body]).stream(), headers, duplex: 'half' } as object
    expect((await world.send('files', inParts)).status).toBe(status)
    await expect.poll(() => upstream.received.length).toBe(2)
    for (const taken of upstream.received) {
      expect(taken.headers['mcp-session-id']).toBe('s-1')
      expect(JSON.parse(taken.body)).toMatchObject({ jsonrpc: '2.0', id: 'q1', error: { code: -32600 } })
    }
    await world.close()
    await upstream.stop()
  })

  it.each(answers)('a started server gets an error for the id of %s', async (_what, body) => {
    const files = { command: process.execPath, args: ['-e', echo], env: {} }
    const world = await startWorld({ files }, { limits: { maxRequestBytes: 2000 } })
    const opened = await world.send('files', { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}' })
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
    const { body: events } = await world.send('files', { method: 'GET', headers })
    await world.send('files', { method: 'POST', body, headers })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of events as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('data: {')) break
    }
    expect(text).toContain(String.raw`{\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"error\":{\"code\":-32600`)
    await world.close()
  })

  it('a server gets nothing while the edge is closed', async () => {
    const shut = policyGuard(allowAll)
    const upstream = await startScripted()
    const world = await startWorld({ files: { url: upstream.url } }, { guard: shut })
    shut.shut({ code: 'no_profile', reason: 'the agent is frozen' })
    for (const [, body] of answers) await world.send('files', { method: 'POST', body })
    expect(upstream.received).toEqual([])
    await world.close()
    await upstream.stop()
  })

  it('a request that is too long is refused with its id', async () => {
    const world = await startWorld({ files: { url: 'http://127.0.0.1:1/' } }, { limits: { maxRequestBytes: 2000 } })
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'ping', params: { text: 'x'.repeat(3000) }, id: 'long' })
    const answer = await world.send('files', { method: 'POST', body })
    expect([answer.status, await answer.json()]).toMatchObject([413, { id: 'long', error: { code: -32600 } }])
    await world.close()
  })
})

describe('the digits of a large integer in an answer of a started server', () => {
  const digits = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line)
      if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"n":9007199254740993}}')
    })`

  it('stay in a request without a session', async () => {
    const world = await startWorld({ files: { command: process.execPath, args: ['-e', digits], env: {} } })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: statelessMeta } })
    const answer = await world.send('files', { method: 'POST', body, headers: statelessHeaders('ping') })
    expect(await answer.text()).toBe('{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}')
    await world.close()
  })

  it('do not change the id of the client', async () => {
    const program = digits.replace('9007199254740993', '1000000000000000001')
    const world = await startWorld({ files: { command: process.execPath, args: ['-e', program], env: {} } })
    const ping = { jsonrpc: '2.0', id: 10 ** 18, method: 'ping', params: { _meta: statelessMeta } }
    const answer = await world.send('files', {
      method: 'POST',
      body: JSON.stringify(ping),
      headers: statelessHeaders('ping'),
    })
    expect(await answer.text()).toContain('"id":1000000000000000000,')
    await world.close()
  })

  it('stay in a batch on standard input and output', async () => {
    const edge = startStdio(digits)
    edge.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    expect(await edge.receiveText()).toBe(
      `[${[1, 2].map((id) => `{"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}`).join()}]`,
    )
    edge.stdin.end()
    await edge.code
  })
})

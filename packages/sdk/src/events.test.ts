import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { type EventOptions, events, type StreamedEvent } from './events.ts'
import { MandateError } from './mandate-error.ts'
import { type Reply, serve } from './testing/serve.ts'

const stream = (text: string): Reply => ({ status: 200, text, headers: { 'content-type': 'text/event-stream' } })
const block = (id: string, type = 'agent.changed') =>
  `id: ${id}\nevent: ${type}\ndata: {"id":"${id}","type":"${type}"}\n\n`

/** Reads `count` events, and returns their types and ids with the `Last-Event-ID` of each request. */
async function read(answers: Reply[], count: number, options: EventOptions = {}) {
  const server = await serve((_request, number) => answers[number - 1] ?? { status: 200, hang: true })
  const client = createClient({ url: server.url, retry: { retries: 0 } })
  const read: StreamedEvent[] = []
  for await (const event of events(client, options)) {
    read.push(event)
    if (read.length === count) break
  }
  return {
    read: read.map(({ id, type }) => `${type} ${id}`),
    asked: server.received.map(({ headers }) => headers['last-event-id']),
    urls: server.received.map(({ url }) => url),
  }
}

test('connects again after the last id, also of a block without data', async () => {
  const answers = [stream(block('1') + block('2')), stream(`: keep-alive\nid: 3\n\n`), stream(block('4'))]
  const { read: got, asked } = await read(answers, 3)
  expect(got).toEqual(['agent.changed 1', 'agent.changed 2', 'agent.changed 4'])
  expect(asked).toEqual([undefined, '2', '3'])
})

test('connects again after a lost connection, an unreachable server, 503 and 429', async () => {
  const answers = [stream(block('1')), { status: 0 }, { status: 503 }, { status: 429 }, stream(block('2'))]
  const { read: got, asked } = await read(answers, 2)
  expect(got).toEqual(['agent.changed 1', 'agent.changed 2'])
  expect(asked).toEqual([undefined, '1', '1', '1', '1'])
})

test('tells of a reset if a connection was lost before it had an id', async () => {
  const { read: got } = await read([stream(': connected\n\n'), stream(block('1'))], 2)
  expect(got).toEqual(['reset 1', 'agent.changed 1'])
})

test('sends the types, the decisions and the first id', async () => {
  const options = { types: ['agent.changed', 'policy.saved'], decisions: 'all', lastEventId: '9' }
  const { urls, asked } = await read([stream(block('1'))], 1, options)
  expect(urls).toEqual(['/api/v1/events/stream?types=agent.changed%2Cpolicy.saved&decisions=all'])
  expect(asked).toEqual(['9'])
})

test.each([400, 401, 403, 404])('throws the error of a refusal with %i', async (status) => {
  await expect(read([{ status, body: { error: 'refused' } }], 1)).rejects.toMatchObject({ status, message: 'refused' })
})

test('throws for an answer that is not an event stream, but not after a stream was open', async () => {
  const page: Reply = { status: 200, text: '<h1>Sign in', headers: { 'content-type': 'text/html' } }
  await expect(read([page], 1)).rejects.toMatchObject({ code: 'unreadable' })
  await expect(read([{ status: 200, body: {} }], 1)).rejects.toMatchObject({ code: 'unreadable' })
  const { read: got } = await read([stream(block('1')), page, stream(block('2'))], 2)
  expect(got).toEqual(['agent.changed 1', 'agent.changed 2'])
})

test('closes the body of an answer that is not an event stream', async () => {
  let isCanceled = false
  const body = new ReadableStream({
    cancel() {
      isCanceled = true
    },
  })
  const answer = new Response(body, { headers: { 'content-type': 'application/json' } })
  const client = createClient({ url: 'http://mandate.example', fetch: async () => answer })
  await expect(events(client).next()).rejects.toMatchObject({ code: 'unreadable' })
  expect(isCanceled).toBe(true)
})

test('is open when the first bytes arrive, not with the headers, which a proxy may pass alone', async () => {
  const bodies: UnderlyingSource<Uint8Array>[] = [
    { pull: (body) => body.error(new Error('cut')) },
    {
      start(body) {
        body.enqueue(new TextEncoder().encode(': connected\n\n'))
        body.close()
      },
    },
  ]
  const headers = { 'content-type': 'text/event-stream' }
  // Without `highWaterMark`, the stream would fail before its answer is used.
  const fetch = async () => new Response(new ReadableStream(bodies.shift(), { highWaterMark: 0 }), { headers })
  const stop = new AbortController()
  const seen: unknown[] = []
  const options: EventOptions = {
    signal: stop.signal,
    onOpen() {
      seen.push('open')
      stop.abort(new Error('enough'))
    },
    onClose: ({ error }) => seen.push((error as Error | undefined)?.message),
  }
  const reading = events(createClient({ url: 'http://mandate.example', fetch }), options).next()
  await expect(reading).rejects.toThrow('enough')
  expect(seen).toEqual(['cut', 'open', undefined])
})

test('asks for the current token at each connection', async () => {
  const tokens = ['first', 'second']
  const server = await serve((_request, number) => (number === 1 ? stream(block('1')) : stream(block('2'))))
  const client = createClient({ url: server.url, credential: { token: () => tokens.shift() ?? 'none' } })
  let count = 0
  for await (const _ of events(client)) if (++count === 2) break
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
})

test('throws what the token of the client throws, but connects again if the token cannot be fetched', async () => {
  const away = new MandateError('cannot be reached', { status: 0, code: 'unreachable' })
  const ended = new Error('the session has ended')
  const tokens = ['first', away, 'second', ended]
  const server = await serve((_request, number) => stream(block(String(number))))
  const token = async () => {
    const next = tokens.shift()
    if (typeof next !== 'string') throw next
    return next
  }
  const client = createClient({ url: server.url, credential: { token } })
  const ids: string[] = []
  const lost: unknown[] = []
  const reading = (async () => {
    for await (const { id } of events(client, { onClose: ({ error }) => lost.push(error) })) ids.push(id)
  })()
  await expect(reading).rejects.toBe(ended)
  expect(ids).toEqual(['1', '2'])
  expect(lost).toEqual([undefined, away, undefined])
})

test('ends with the reason of the signal, also while it waits', async () => {
  const stop = new AbortController()
  const server = await serve(() => stream(block('1')))
  const client = createClient({ url: server.url })
  const reading = (async () => {
    for await (const _ of events(client, { signal: stop.signal, onClose: () => stop.abort(new Error('enough')) }));
  })()
  await expect(reading).rejects.toThrow('enough')
})

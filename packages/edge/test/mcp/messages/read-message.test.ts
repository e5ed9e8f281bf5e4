import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findAmbiguity } from '../../../src/json/find-ambiguity.ts'
import { maxDepth } from '../../../src/json/name-ambiguity.ts'
import { maxBatch, readMessage } from '../../../src/mcp/messages/read-message.ts'

const read = (text: string | Buffer) => readMessage(Buffer.from(text))
const message = (more: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${more}}`

describe('rejects a message that parsers could read differently', () => {
  it.each([
    ['a key twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}'],
    ['a key twice, once escaped', '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call"}'],
    ['a key twice, spaces around', '{"jsonrpc":"2.0","id":1,"method":"ping", "method" \n:"tools/call"}'],
    ['a key twice deep inside', message('{"name":"a","arguments":{"list":[{"path":"/a","path":"/b"}]}}')],
    ['a key twice after a string full of quotes', message('{"name":"\\"a\\\\","name":"b"}')],
    ['another case of a known field', '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}'],
    ['a letter that folds to that of a known field', '{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}'],
    ['an unknown field', '{"jsonrpc":"2.0","id":1,"method":"ping","extra":null}'],
    ['a known field with a NUL', '{"jsonrpc":"2.0","id":1,"method":"ping","params\\u0000":{}}'],
    ['a known field with a zero-width space', '{"jsonrpc":"2.0","id":1,"method":"ping","\u200bparams":{}}'],
    ['no version of JSON-RPC', '{"id":1,"method":"ping"}'],
    [
      'more values than a client may send',
      message(`{"name":"a","arguments":{"a":[${'[0,0,0,0,0],'.repeat(9_999)}0]}}`),
    ],
    ['a list of too many entries', message(`{"name":"a","arguments":{"a":[${'0,'.repeat(10_001)}0]}}`)],
    ['too many keys', message(`{"name":"a","arguments":{${Array.from({ length: 10_001 }, (_, n) => `"${n}":0`)}}}`)],
    ['an integer no double holds', message('{"name":"a","arguments":{"n":9007199254740993}}')],
    ['an id no double holds', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}'],
    ['an integer no double holds, as a decimal', message('{"name":"a","arguments":{"n":1234567890123456789.0}}')],
    ['an integer no double holds, as a power', message('{"name":"a","arguments":{"n":1234567890123456789e0}}')],
    ['a number beyond a double', message('{"name":"a","arguments":{"n":1e400}}')],
    ['a byte order mark', '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['a NUL after the message', '{"jsonrpc":"2.0","id":1,"method":"ping"}\0'],
    ['two messages', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}'],
    ['a comment', '{"jsonrpc":"2.0",/*"method":"tools/call",*/"id":1,"method":"ping"}'],
    ['a comma too many', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ['no message', '"tools/call"'],
    ['nothing', ''],
    ['null', 'null'],
    ['neither a method nor an answer', '{"jsonrpc":"2.0","id":1}'],
    ['a request that is an answer too', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{"content":[]}}'],
    [
      'a notification that is an error too',
      '{"jsonrpc":"2.0","method":"notifications/initialized","error":{"code":1}}',
    ],
    ['an answer with parameters', '{"jsonrpc":"2.0","id":1,"result":{},"params":{"content":[]}}'],
    ['a method that is a list', '{"jsonrpc":"2.0","id":1,"method":["tools/call"]}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an empty batch', '[]'],
    ['a batch in a batch', '[[{"jsonrpc":"2.0","id":1,"method":"ping"}]]'],
    ['a batch too long', JSON.stringify(Array(maxBatch + 1).fill({ jsonrpc: '2.0', method: 'a' }))],
    ['nesting too deep', message(`{"name":"a","arguments":{"a":${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}}}`)],
    ['nesting that would end a recursive reader', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
  ])('%s', (_what, text) => {
    expect(read(text)).toMatchObject({ ok: false, code: expect.any(Number), error: expect.any(String) })
  })

  it('bytes that are not UTF-8', () => {
    expect(read(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toMatchObject({ ok: false })
    expect(read(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}', 'utf16le'))).toMatchObject({ ok: false })
  })
})

it('reads a message and a batch', () => {
  const one = { jsonrpc: '2.0', id: 'a', method: 'logging/setLevel', params: { deep: [{ a: -0.5e-7 }] } }
  expect(read(JSON.stringify(one))).toEqual({ ok: true, messages: [one], isBatch: false })
  const two = { ...one, id: 'b' }
  expect(read(JSON.stringify([one, two]))).toEqual({ ok: true, messages: [one, two], isBatch: true })
})

it('refuses a batch with two requests of one id, because their answers could be mistaken', () => {
  const one = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect(read(JSON.stringify([one, one]))).toMatchObject({ ok: false, code: -32600 })
  expect(read(JSON.stringify([one, { ...one, id: '1' }, { jsonrpc: '2.0', id: 1, result: {} }]))).toMatchObject({
    ok: true,
  })
})

it('refuses an answer with both a result and an error', () => {
  const answer = { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } }
  expect(read(JSON.stringify(answer))).toMatchObject({ ok: false, code: -32600 })
})

/** JSON whose numbers are in the range of safe integers. */
const plainJson = fc
  .jsonValue({ maxDepth: 5 })
  .map((value) =>
    JSON.parse(JSON.stringify(value), (_, one) =>
      typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER ? 0 : one,
    ),
  )

it('property: no text of JSON.stringify is ambiguous, except big numbers', () => {
  fc.assert(
    fc.property(plainJson, fc.integer({ min: 0, max: 3 }), (value, spaces) => {
      expect(findAmbiguity(JSON.stringify(value, null, spaces), { depth: 100 })).toBeNull()
    }),
  )
})

it('property: finds a duplicate key anywhere in a text', () => {
  const wrap = fc.array(fc.constantFrom('list', 'object'), { maxLength: 6 })
  fc.assert(
    fc.property(fc.string(), plainJson, wrap, (key, value, wrappers) => {
      const pair = `${JSON.stringify(key)}:${JSON.stringify(value)}`
      let text = `{"a ${JSON.stringify(key).slice(1, -1)}":1,${pair},${pair}}`
      for (const wrapper of wrappers) text = wrapper === 'list' ? `[1,"{",${text},"]"]` : `{"x":"\\"}","in":${text}}`
      JSON.parse(text)
      expect(findAmbiguity(text, { depth: 100 })).toBe('repeated_key')
    }),
  )
})

import { createHmac } from 'node:crypto'
import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import { compileContent } from '@mandate/content/compile-content'
import type { JsonValue } from '@mandate/content/inspect/embedded-text'
import { inspect } from '@mandate/content/inspect/inspect'
import { describe, expect, it } from 'vitest'
import { bindSession, openSession, sessionKey } from '../../../src/mcp/gateway/bind-session.ts'
import { inspectHeaders } from '../../../src/mcp/http/client-headers.ts'
import { checkMirroredHeaders } from '../../../src/mcp/messages/check-mirrored-headers.ts'
import type { JsonObject } from '../../../src/mcp/messages/json.ts'
import { checkMirroredArguments, mirroredArguments } from '../../../src/mcp/messages/mirrored-arguments.ts'

describe('a session belongs to the client that opened it', () => {
  const [keyA, keyB] = [sessionKey('secret', 'token-a'), sessionKey('secret', 'token-b')]
  const bound = bindSession(keyA, 'files', 'session.1~x') as string

  it('and only with its server', () => {
    expect(openSession(keyA, 'files', bound)).toBe('session.1~x')
    expect(openSession(keyB, 'files', bound)).toBeNull()
    expect(openSession(keyA, 'mail', bound)).toBeNull()
  })

  it.each(['', '.', 'session.1~x', `x${bound}`, `${bound}x`, bound.slice(0, -1), `${bound}, ${bound}`])(
    'rejects %j',
    (wrong) => expect(openSession(keyA, 'files', wrong)).toBeNull(),
  )

  it('and to the edges that have the same secret', () => {
    expect(openSession(sessionKey('secret', 'token-a'), 'files', bound)).toBe('session.1~x')
    expect(openSession(sessionKey('other', 'token-a'), 'files', bound)).toBeNull()
  })

  it('and the client cannot seal an id with its token', () => {
    const sealed = createHmac('sha256', 'token-a').update('mcp session\0files\0other').digest('base64url')
    expect(openSession(keyA, 'files', `other.${sealed}`)).toBeNull()
  })

  it.each(['', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(1025)])('rejects the session id %j of a server', (id) => {
    expect(bindSession(keyA, 'files', id)).toBeNull()
    const sealed = createHmac('sha256', keyA).update(`mcp session\0files\0${id}`).digest('base64url')
    expect(openSession(keyA, 'files', `${id}.${sealed}`)).toBeNull()
  })
})

describe('headers that mirror the message', () => {
  const message = (method: string, params: object = {}) => [{ jsonrpc: '2.0', id: 1, method, params } as never]
  const versioned = { name: 'read', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }

  it.each<[string, Record<string, string>, never[]]>([
    ['none', {}, message('tools/call', { name: 'read' })],
    [
      'a method and a name',
      { 'mcp-method': 'tools/call', 'mcp-name': 'read' },
      message('tools/call', { name: 'read' }),
    ],
    [
      'a resource',
      { 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' },
      message('resources/read', { uri: 'file:///a' }),
    ],
    ['a task', { 'mcp-method': 'tasks/get', 'mcp-name': 't1' }, message('tasks/get', { taskId: 't1' })],
    ['an encoded name', { 'mcp-name': '=?base64?w7w=?=' }, message('tools/call', { name: 'ü' })],
    ['a version', { 'mcp-protocol-version': '2026-07-28' }, message('tools/call', versioned)],
  ])('match: %s', (_what, headers, messages) => expect(checkMirroredHeaders(headers, messages)).toBeNull())

  it.each<[string, Record<string, string>, never[]]>([
    ['another method', { 'mcp-method': 'ping' }, message('tools/call', { name: 'read' })],
    ['another case', { 'mcp-method': 'Tools/Call' }, message('tools/call', { name: 'read' })],
    ['another name', { 'mcp-name': 'read' }, message('tools/call', { name: 'delete' })],
    ['another task', { 'mcp-name': 't1' }, message('tasks/cancel', { taskId: 't2', name: 't1' })],
    ['a name where the message has none', { 'mcp-name': 'read' }, message('ping')],
    ['an encoded other name', { 'mcp-name': '=?base64?cmVhZA==?=' }, message('tools/call', { name: 'delete' })],
    ['an invalid encoding', { 'mcp-name': '=?base64?/w==?=' }, message('tools/call', { name: '\ufffd' })],
    ['one name for a batch', { 'mcp-name': 'read' }, [...message('tools/call', { name: 'read' }), ...message('ping')]],
    ['an encoding cut short', { 'mcp-name': '=?base64?cmVhZA=?=' }, message('tools/call', { name: 'read' })],
    [
      'an encoding that is itself the name',
      { 'mcp-name': '=?base64?!?=' },
      message('tools/call', { name: '=?base64?!?=' }),
    ],
    ['a character beyond ASCII, bare', { 'mcp-name': 'ü' }, message('tools/call', { name: 'ü' })],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }, message('tools/call', versioned)],
  ])('are refused: %s', (_what, headers, messages) =>
    expect(checkMirroredHeaders(headers, messages)).toEqual(expect.any(String)),
  )
})

describe('arguments that are mirrored in headers', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const definition = {
    name: 'query',
    inputSchema: {
      type: 'object',
      properties: {
        region,
        deep: { properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
        query: { type: 'string' },
      },
    },
  }
  const mirrored = mirroredArguments(definition)
  const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }
  const check = (headers: Record<string, string>, args: JsonObject, more: JsonObject = modern) =>
    checkMirroredArguments(headers, { name: 'query', arguments: args, ...more }, mirrored)

  it('are found at any depth of properties', () => {
    expect(mirrored).toEqual([
      { header: 'Mcp-Param-Region', path: ['region'] },
      { header: 'Mcp-Param-N', path: ['deep', 'n'] },
    ])
  })

  it.each<[string, unknown]>([
    ['no schema', undefined],
    ['an invalid schema', []],
    ['an annotation on the whole', { 'x-mcp-header': 'All', properties: {} }],
    [
      'a name that is no token',
      { properties: { a: { 'x-mcp-header': 'a b' }, b: { 'x-mcp-header': '' }, c: { 'x-mcp-header': 1 } } },
    ],
    ['below a list', { properties: { list: { items: { properties: { region } } } } }],
    ['in an alternative', { anyOf: [{ properties: { region } }] }],
  ])('are not valid: %s', (_what, inputSchema) =>
    expect(mirroredArguments({ name: 'query', inputSchema } as JsonObject)).toEqual([]),
  )

  it('are searched for up to the depth limit of arguments', () => {
    let schema: JsonObject = region
    for (let depth = 0; depth < 50_000; depth++) schema = { properties: { a: schema } }
    expect(mirroredArguments({ name: 'query', inputSchema: schema })).toEqual([])
  })

  it('are searched for up to their limit', () => {
    const named = Array.from({ length: 500 }, (_, n) => [`a${n}`, region])
    const unread = {
      get 'x-mcp-header'(): string {
        throw new Error('read too far')
      },
    }
    const inputSchema = { properties: { ...Object.fromEntries(named), unread } }
    expect(mirroredArguments({ name: 'query', inputSchema })).toHaveLength(500)
  })

  it.each<[string, Record<string, string>, JsonObject]>([
    ['a text', { 'mcp-param-region': 'us-west1' }, { region: 'us-west1' }],
    ['an encoded text', { 'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=' }, { region: 'Hello, 世界' }],
    [
      'a text that looks encoded',
      { 'mcp-param-region': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' },
      { region: '=?base64?literal?=' },
    ],
    ['an empty text', { 'mcp-param-region': '' }, { region: '' }],
    ['a number', { 'mcp-param-n': '42' }, { deep: { n: 42 } }],
    ['a number written otherwise', { 'mcp-param-n': '42.0' }, { deep: { n: 42 } }],
    ['a truth value', { 'mcp-param-region': 'true' }, { region: true }],
    ['none, of what is null, absent or no value', {}, { region: null, deep: { n: [1] } }],
    ['a header that no argument is named for', { 'mcp-param-other': 'x' }, {}],
  ])('match: %s', (_what, headers, args) => expect(check(headers, args)).toBeNull())

  it.each<[string, Record<string, string>, JsonObject]>([
    ['another text', { 'mcp-param-region': 'us-west1' }, { region: 'eu-west1' }],
    ['another case', { 'mcp-param-region': 'US-WEST1' }, { region: 'us-west1' }],
    ['sent twice', { 'mcp-param-region': 'us-west1, us-west1' }, { region: 'us-west1' }],
    ['an invalid encoding', { 'mcp-param-region': '=?base64?///?=' }, { region: '=?base64?///?=' }],
    ['a character beyond ASCII, bare', { 'mcp-param-region': 'ü' }, { region: 'ü' }],
    ['another number', { 'mcp-param-n': '42.1' }, { deep: { n: 42 } }],
    ['a number that only a double takes for the same', { 'mcp-param-n': '9007199254740993' }, { deep: { n: 2 ** 53 } }],
    ['a number by another notation', { 'mcp-param-n': '0x2a' }, { deep: { n: 42 } }],
    ['one for null', { 'mcp-param-region': 'null' }, { region: null }],
    ['one for what is absent', { 'mcp-param-region': 'us-west1' }, {}],
    ['one for an argument in another place', { 'mcp-param-n': '42' }, { n: 42 }],
    ['none for a value that is there', {}, { region: 'us-west1' }],
  ])('are refused: %s', (_what, headers, args) =>
    expect(check(headers, args)).toMatch(/^Mcp-Param-(Region|N) is not the argument/),
  )

  it('may be absent in revisions without such headers, and must match if present', () => {
    expect(check({}, { region: 'us-west1' }, {})).toBeNull()
    expect(check({ 'mcp-param-region': 'us-west1' }, { region: 'eu-west1' }, {})).toEqual(expect.any(String))
  })
})

it('the log does not have the name of a header that content rules keep from the server, as far as the client chose it', async () => {
  const logged: unknown[] = []
  const log = { info() {}, warn: (fields: object) => void logged.push(fields) }
  const guard = { inspectsArguments: () => true, checkSent: async () => ({ denied: 'it matches', holds: () => true }) }
  const request = { headers: { 'mcp-param-4111111111111111': '1', 'user-agent': '4111111111111111' } }
  const passage = { guard, server: 'files', log }
  expect((await inspectHeaders({ passage, request } as never)).headers).toEqual({})
  expect(logged).toMatchObject([
    { why: 'the header mcp-param-…: it matches' },
    { why: 'the header user-agent: it matches' },
  ])
})

describe('a header of a client is inspected as a server may read it', () => {
  const side = compileContent({
    version: 1,
    bindings: [{ group: 'secrets', on: 'arguments', action: 'deny' }],
    patterns: builtinPatterns,
  }).arguments
  const guard = {
    inspectsArguments: () => true,
    checkSent: async (_call: unknown, value: JsonValue) => ({
      denied: side && inspect(side, value).counts.size > 0 ? 'it matches' : null,
      holds: () => true,
    }),
  }
  const passed = async (value: string) => {
    const log = { info() {}, warn() {} }
    const request = { headers: { baggage: value } }
    return (await inspectHeaders({ passage: { guard, server: 'files', log }, request } as never)).headers.baggage
  }
  const end = 'QYLPMN5HHHFPZAM2'
  /** Returns what Node makes of bytes of UTF-8. */
  const asBytes = (text: string) => Buffer.from(text).toString('latin1')

  it.each([
    ['percent codes', `a=%41KIA${end}`],
    ['percent codes beside a broken one', `a=%zz;%41KIA${end}%`],
    ['percent codes that are not UTF-8', `a=%ff%41KIA${end}`],
    ['UTF-8', asBytes(`a=AK\u200bIA${end}`)],
    ['UTF-8 and percent codes', asBytes(`é=ＡK%49A${end}`)],
  ])('%s', async (_, value) => expect(await passed(value)).toBeUndefined())

  it('and passes as it is without a match', async () => {
    for (const value of ['a=%zz', asBytes('a=é'), 'a=\xe9']) expect(await passed(value)).toBe(value)
  })
})

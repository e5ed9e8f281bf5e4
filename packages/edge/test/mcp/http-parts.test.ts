import { describe, expect, it } from 'vitest'
import { bindSession, openSession } from '../../src/mcp/bind-session.ts'
import { checkMirroredHeaders } from '../../src/mcp/check-mirrored-headers.ts'

describe('a session belongs to the client that opened it', () => {
  const bound = bindSession('token-a', 'files', 'session.1~x') as string

  it('and is opened by that client at that server only', () => {
    expect(openSession('token-a', 'files', bound)).toBe('session.1~x')
    expect(openSession('token-b', 'files', bound)).toBeNull()
    expect(openSession('token-a', 'mail', bound)).toBeNull()
  })

  it.each(['', '.', 'session.1~x', `x${bound}`, `${bound}x`, bound.slice(0, -1), `${bound}, ${bound}`])(
    'not by %j',
    (wrong) => expect(openSession('token-a', 'files', wrong)).toBeNull(),
  )

  it.each(['', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(1025)])('a server gives no session called %j', (id) =>
    expect(bindSession('token-a', 'files', id)).toBeNull(),
  )
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
    ['an encoded name', { 'mcp-name': '=?base64?w7w=?=' }, message('tools/call', { name: 'ü' })],
    ['a version', { 'mcp-protocol-version': '2026-07-28' }, message('tools/call', versioned)],
  ])('agree: %s', (_what, headers, messages) => expect(checkMirroredHeaders(headers, messages)).toBeNull())

  it.each<[string, Record<string, string>, never[]]>([
    ['another method', { 'mcp-method': 'ping' }, message('tools/call', { name: 'read' })],
    ['another case', { 'mcp-method': 'Tools/Call' }, message('tools/call', { name: 'read' })],
    ['another name', { 'mcp-name': 'read' }, message('tools/call', { name: 'delete' })],
    ['a name where the message has none', { 'mcp-name': 'read' }, message('ping')],
    ['an encoded other name', { 'mcp-name': '=?base64?cmVhZA==?=' }, message('tools/call', { name: 'delete' })],
    ['an encoding that is none', { 'mcp-name': '=?base64?/w==?=' }, message('tools/call', { name: '\ufffd' })],
    ['one name for a batch', { 'mcp-name': 'read' }, [...message('tools/call', { name: 'read' }), ...message('ping')]],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }, message('tools/call', versioned)],
  ])('are refused: %s', (_what, headers, messages) =>
    expect(checkMirroredHeaders(headers, messages)).toEqual(expect.any(String)),
  )
})

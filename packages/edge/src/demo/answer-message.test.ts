import { expect, it } from 'vitest'
import { answerLine } from './answer-message.ts'
import { DemoFolder, definitions } from './demo-folder.ts'

const ask = (folder: DemoFolder, method: string, params: object = {}) =>
  JSON.parse(answerLine(folder, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })) ?? 'null')

const call = (folder: DemoFolder, name: string, args: object = {}) => {
  const { result, error } = ask(folder, 'tools/call', { name, arguments: args })
  return result ? `${result.isError ? 'error: ' : ''}${result.content[0].text}` : error.message
}

it('reads, writes, lists and deletes files in memory', () => {
  const folder = new DemoFolder()
  expect(call(folder, 'list')).toBe('draft.txt\nshopping.txt\nwelcome.txt')
  expect(call(folder, 'write', { path: 'a', text: 'one' })).toBe('Wrote a in memory.')
  expect(call(folder, 'read', { path: 'a' })).toBe('one')
  expect(call(folder, 'delete', { path: 'a' })).toBe('Deleted a in memory.')
  expect(call(folder, 'read', { path: 'a' })).toBe('error: There is no file a.')
  expect(call(folder, 'delete', { path: '../a' })).toBe('error: There is no file ../a.')
  expect(call(new DemoFolder(), 'read', { path: 'draft.txt' })).toBe('The release notes are not finished.')
})

it('refuses arguments that are absent, no texts or too long, and a file too many', () => {
  const folder = new DemoFolder()
  expect(call(folder, 'read')).toBe('error: The argument path must be a text.')
  expect(call(folder, 'read', { path: ['draft.txt'] })).toBe('error: The argument path must be a text.')
  expect(call(folder, 'read', { path: 'x'.repeat(201) })).toContain('at most 200 characters')
  expect(call(folder, 'write', { path: 'a', text: 'x'.repeat(10_001) })).toContain('at most 10000 characters')
  for (let at = 0; at < 200; at++) call(folder, 'write', { path: `f${at}`, text: 'x' })
  expect(folder.files.size).toBe(100)
  expect(call(folder, 'write', { path: 'one more', text: 'x' })).toBe('error: The folder has 100 files already.')
  expect(call(folder, 'write', { path: 'draft.txt', text: 'x' })).toBe('Wrote draft.txt in memory.')
})

it('has no tools, methods or files by the names of inherited properties', () => {
  const folder = new DemoFolder()
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(call(folder, name)).toBe(`There is no tool ${name}`)
    expect(ask(folder, name).error.message).toBe('Method not found')
    expect(call(folder, 'read', { path: name })).toBe(`error: There is no file ${name}.`)
  }
})

it('answers clients of the revisions with and without sessions', () => {
  const folder = new DemoFolder()
  expect(ask(folder, 'initialize', { protocolVersion: '2025-06-18' }).result.protocolVersion).toBe('2025-06-18')
  expect(ask(folder, 'initialize', { protocolVersion: '1999-01-01' }).result.protocolVersion).toBe('2025-11-25')
  expect(ask(folder, 'server/discover').result.supportedVersions).toEqual(['2026-07-28'])
  expect(ask(folder, 'tools/list').result.tools).toEqual(JSON.parse(JSON.stringify(definitions)))
  expect(answerLine(folder, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined()
  expect(answerLine(folder, '[]')).toBeUndefined()
  expect(JSON.parse(answerLine(folder, '{') ?? '').error.code).toBe(-32700)
})

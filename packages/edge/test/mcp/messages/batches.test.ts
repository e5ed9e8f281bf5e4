import { expect, it } from 'vitest'
import { BatchAnswers } from '../../../src/mcp/messages/batch-answers.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { everything } from '../testing/servers.ts'
import { startStdio } from '../testing/stdio-world.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const echo = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: `m${id}` } },
})
const command = { command: process.execPath, args: [everything], env: { PATH: process.env.PATH ?? '' } }

it('the stdio edge sends the messages of a batch one by one to a server on the SDK and returns the answers together', async () => {
  const edge = startStdio('', { ...command, server: 'everything' })
  edge.send(initialize)
  expect(await edge.receive()).toMatchObject({ id: 0 })
  edge.send(initialized)
  edge.send([echo(1), echo(2), initialized])
  let answer = await edge.receive()
  while (!Array.isArray(answer)) answer = await edge.receive()
  expect(answer.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2])
  edge.stdin.end()
  await edge.code
})

it('the gateway sends the messages of a batch one by one to a started server on the SDK', async () => {
  const world = await startWorld({ everything: command })
  const opened = await world.send('everything', { method: 'POST', body: JSON.stringify(initialize) })
  await opened.text()
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string }
  await world.send('everything', { method: 'POST', headers, body: JSON.stringify(initialized) })
  const body = JSON.stringify([echo(1), echo(2)])
  const text = await (await world.send('everything', { method: 'POST', headers, body })).text()
  await world.close()
  for (const id of [1, 2]) expect(text).toContain(`Echo: m${id}`)
})

/** A text of this length, which differs by id. */
const textOf = (id: number, bytes: number) => String(id).repeat(bytes)

it('a batch does not wait for a cancelled request, and keeps a limited number of bytes', () => {
  const batches = new BatchAnswers(10)
  const take = (id: number, bytes: number) => batches.take({ jsonrpc: '2.0', id, result: {} }, textOf(id, bytes))
  expect(batches.expect([1, 2, 3], [])).toBeNull()
  expect(take(1, 5)).toBeNull()
  expect(batches.forget(2)).toBeNull()
  expect(take(3, 5)).toBe(`[${textOf(1, 5)},${textOf(3, 5)}]`)
  expect(batches.expect([4, 5], [])).toBeNull()
  expect(take(4, 11)).toBe(`[${textOf(4, 11)}]`)
  expect(take(5, 1)).toBe(`[${textOf(5, 1)}]`)
  expect(take(6, 1)).toBe(false)
})

it('counts the bytes of an answer, and not its characters', () => {
  const batches = new BatchAnswers(10)
  const take = (id: number, text: string) => batches.take({ jsonrpc: '2.0', id, result: {} }, text)
  expect(batches.expect([1, 2], [])).toBeNull()
  expect(take(1, '☃☃☃☃')).toBe('[☃☃☃☃]')
})

it('all batches together keep a limited number of bytes', () => {
  const batches = new BatchAnswers(10)
  const take = (id: number, bytes: number) => batches.take({ jsonrpc: '2.0', id, result: {} }, textOf(id, bytes))
  expect([batches.expect([1, 2], []), batches.expect([3, 4], []), batches.expect([5, 6], [])]).toEqual([
    null,
    null,
    null,
  ])
  expect(take(1, 6)).toBeNull()
  expect(take(3, 6)).toBe(`[${textOf(3, 6)}]`)
  expect(take(5, 4)).toBeNull()
  expect(take(2, 1)).toBe(`[${textOf(1, 6)},${textOf(2, 1)}]`)
  expect([batches.expect([6], []), batches.expect([7, 8], [])]).toEqual([null, null])
  expect(take(7, 9)).toBeNull()
})

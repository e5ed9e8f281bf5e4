import { PassThrough, type Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Guard } from '../../../src/guard/guard.ts'
import { runStdioEdge, type StdioEdge } from '../../../src/mcp/stdio/stdio-edge.ts'
import { allowAll, policyGuard } from './policy-guard.ts'

/** Runs the stdio edge in this process. `program` is the source code of its tool server. */
export function startStdio(program: string, options: Partial<StdioEdge> & { guard?: Guard } = {}) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough().resume()
  const warnings: string[] = []
  const log = { info: () => {}, warn: (_fields: object, message: string) => void warnings.push(message) }
  const code = runStdioEdge({
    server: 'files',
    guard: policyGuard(allowAll),
    command: process.execPath,
    args: ['-e', program],
    env: {},
    stdin,
    stdout,
    stderr,
    log,
    ...options,
  }).finally(() => stdout.end())
  const lines = linesOf(stdout)
  const receiveText = async () => (await lines.next()).value
  return {
    code,
    warnings,
    stdin,
    send: (message: unknown) => stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    /** Returns the next message to the client, or null after the last message. */
    receive: async () => JSON.parse((await receiveText()) ?? 'null'),
    /** As `receive`, with the message as it was sent. */
    receiveText,
  }
}

async function* linesOf(stream: Readable): AsyncGenerator<string, null> {
  let held = ''
  for await (const chunk of stream) {
    held += chunk
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    yield* lines
  }
  return null
}

/**
 * Source of a tool server. It sends each received line back: as the answer to a request, or as a notification. Parameters of a
 * message can make it write a text to standard output, exit, or send nothing back.
 */
export const echo = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line)
    for (const one of [message].flat()) {
      if (one.params?.write) process.stdout.write(one.params.write)
      if (one.params?.exit !== undefined) process.exit(one.params.exit)
      if (one.params?.silent) continue
      if (one.method && one.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: one.id, result: { line } }))
      else console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { line } }))
    }
  })`

/**
 * Source of a tool server. It answers calls of `first` and `last` with 2 MB, with the id at this place, and writes 2 MB that are no message
 * before it answers a call of `lost`.
 */
export const largeAnswers = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const text = 'x'.repeat(2_000_000)
    if (params?.name === 'lost') console.log(text)
    const result = method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: {} } : { content: [] }
    if (params?.name === 'first') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }))
    else if (params?.name === 'last') console.log(JSON.stringify({ result: { content: [{ type: 'text', text }] }, jsonrpc: '2.0', id }))
    else console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })`

/** The error for an answer of `largeAnswers`, above a limit of 1,000,000 bytes. */
export const tooLongAnswer = {
  error: { code: -32011, message: expect.stringContaining('may have taken effect: it is longer than 1000000 bytes') },
}

import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A tool server on standard input and output that has a secret in `API_KEY`. Its tools tell a digest of the secret, so that a test can see which
 * secret the process has. It writes the secret to its standard error when it starts, as careless servers do.
 */
const { API_KEY = '' } = process.env
const digest = createHash('sha256').update(API_KEY).digest('hex')
process.stderr.write(`started with API_KEY=${API_KEY}\n`)

const answers: Record<string, (params: { name?: string; arguments?: { ms?: number } }) => unknown> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'digest', version: '1' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'digest', inputSchema: { type: 'object', properties: { ms: { type: 'number' } } } }],
  }),
  'tools/call': async ({ arguments: { ms = 0 } = {} }) => {
    await pause(ms)
    return { content: [{ type: 'text', text: digest }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const answer = async () => ({ jsonrpc: '2.0', id, result: (await answers[method]?.(params)) ?? {} })
  void answer().then((message) => process.stdout.write(`${JSON.stringify(message)}\n`))
}

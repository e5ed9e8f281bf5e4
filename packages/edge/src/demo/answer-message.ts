import { edgeVersion } from '../version.ts'
import { type DemoFolder, definitions } from './demo-folder.ts'

type Message = { readonly [key: string]: unknown }

const handshakes = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const withoutSessions = ['2026-07-28']
const serverInfo = { name: 'mandate-demo', version: edgeVersion }
const capabilities = { tools: {} }
/** What each result has in the revision without sessions. */
const complete = { resultType: 'complete' }
/** How long a client may keep a list in the revision without sessions. */
const notKept = { ttlMs: 0, cacheScope: 'private' }

/** Answers a line of an MCP client with a line. Returns undefined if the line needs no answer. */
export function answerLine(folder: DemoFolder, line: string): string | undefined {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return errorOf(null, -32700, 'Parse error')
  }
  if (!isObject(message) || typeof message.method !== 'string') return undefined
  const { id, method } = message
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  const params = isObject(message.params) ? message.params : {}
  if (method === 'tools/call') {
    const name = typeof params.name === 'string' ? params.name : ''
    const result = folder.call(name, isObject(params.arguments) ? params.arguments : {})
    return result ? resultOf(id, { ...complete, ...result }) : errorOf(id, -32602, `There is no tool ${name}`)
  }
  const result = Object.hasOwn(answers, method) ? answers[method]?.(params) : undefined
  return result ? resultOf(id, result) : errorOf(id, -32601, 'Method not found')
}

const answers: Readonly<Record<string, (params: Message) => object>> = {
  initialize: ({ protocolVersion: asked }) => ({
    protocolVersion: handshakes.find((version) => version === asked) ?? handshakes[0],
    capabilities,
    serverInfo,
  }),
  'server/discover': () => ({
    ...complete,
    ...notKept,
    supportedVersions: withoutSessions,
    capabilities,
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }),
  'tools/list': () => ({ ...complete, ...notKept, tools: definitions }),
  ping: () => complete,
}

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const resultOf = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result })
const errorOf = (id: unknown, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

import { createInterface } from 'node:readline'

/** A tool server on standard input and output whose answer has the whole request, so that a test sees what a server gets. */
const answers: Record<string, (request: object) => object> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'telling', version: '1' },
  }),
  'tools/list': (request) => ({
    tools: [{ name: 'tell', description: JSON.stringify(request), inputSchema: { type: 'object' } }],
  }),
  'tools/call': (request) => ({ content: [{ type: 'text', text: JSON.stringify(request) }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  if (request.id === undefined) continue
  const result = answers[request.method]?.(request) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result })}\n`)
}

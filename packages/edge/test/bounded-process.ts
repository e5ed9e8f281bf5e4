import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { startListener } from '../src/listen/listener.ts'
import { openLocalTokens } from '../src/listen/local-tokens.ts'
import { startMcpGateway } from '../src/mcp/gateway.ts'
import { allowAll, policyGuard, rulesFor } from './mcp/testing/policy-guard.ts'

// Runs a listener and a gateway of an edge in one process. The tool server of the gateway is hostile. Prints the addresses of
// the listener, the gateway, and a server that returns the CPU time and the memory of this process.
const agentId = '0190a3c5-7e00-7000-8000-000000000001'
const [hostile = '', folder = ''] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const rules = Array.from({ length: 200 }, (_, n) => [`mcp:*/tool${n}*`, 'deny'] as const)
const guard = policyGuard({ ...allowAll, ...rulesFor(Object.fromEntries(rules)) })
const tokens = await openLocalTokens(folder, [agentId], undefined)
const common = { host: '127.0.0.1', port: 0, log }
const guardFor = () => guard
const listener = await startListener({ ...common, hostNames: [], tokens, guardFor, maxOpen: 8, requestTimeoutMs: 500 })
const token = tokens.tokenOf(agentId)
const gateway = await startMcpGateway({
  ...common,
  servers: {
    http: { url: hostile },
    sse: { url: hostile, transport: 'sse' },
    started: { command: process.execPath, args: ['-e', ''], env: {} },
  },
  clients: [{ token, guard }],
  sessionSecret: 'secret of the state folder',
  limits: { requestTimeoutMs: 500 },
})
const usage = createServer((_request, response) => {
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  response.end(JSON.stringify({ cpuMs: (user + system) / 1000, heapBytes: process.memoryUsage().heapUsed }))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => usage.once('listening', resolve))
const usageUrl = `http://127.0.0.1:${(usage.address() as AddressInfo).port}`
process.stdout.write(`${JSON.stringify({ decide: listener.url, mcp: gateway.url, token, usage: usageUrl })}\n`)

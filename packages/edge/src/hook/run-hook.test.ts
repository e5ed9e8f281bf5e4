import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { runHook } from './run-hook.ts'

test('a hook that cannot reach its edge names the address, the reason and the option', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.close()
  await once(server, 'close')
  expect(await runHook('{"tool_name": "Bash", "tool_input": {}}', 'agent', () => ({ url, token: 't' }))).toEqual({
    passes: false,
    reason: `The edge at ${url} gave no decision, so the call is stopped: ECONNREFUSED. Start the edge, or name its address with --edge or MANDATE_EDGE_LISTEN`,
  })
})

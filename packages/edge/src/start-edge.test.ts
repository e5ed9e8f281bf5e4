import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readEdgeConfig } from './config.ts'
import { startEdge } from './start-edge.ts'

test.each([
  ['and knows its agent', 'ek', { MANDATE_EDGE_AGENTS: '0190a3c5-7e00-7000-8000-000000000001' }],
  ['and asks for its agent', 'ak', {}],
])(
  'an edge that is stopped while it starts, %s, does not wait for a silent control plane',
  async (_what, key, agents) => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const stateDir = await mkdtemp(join(tmpdir(), 'mandate-start-edge-'))
    onTestFinished(async () => {
      silent.close().closeAllConnections()
      await rm(stateDir, { recursive: true })
    })
    const config = readEdgeConfig(agents, {
      MANDATE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      MANDATE_EDGE_KEY: `${key}_${'0'.repeat(64)}`,
      MANDATE_EDGE_STATE: stateDir,
    })
    const stopping = new AbortController()
    silent.on('request', () => stopping.abort())
    const timing = { stopping: stopping.signal, heartbeatMs: () => 600_000 }
    const started = startEdge(config, pino({ level: 'silent' }), timing)
    if ('MANDATE_EDGE_AGENTS' in agents) await (await started).close()
    else await expect(started).rejects.toThrow('the edge is stopping')
  },
)

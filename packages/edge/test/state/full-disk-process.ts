import { pino } from 'pino'
import type { EdgeConfig } from '../../src/config.ts'
import { startEdge } from '../../src/start-edge.ts'

/** Starts an edge on the state folder in the first argument. Prints `started`, or the error if the start fails. */
const agentIds = ['6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11']
const config = {
  stateDir: process.argv[2],
  key: 'ek_test',
  controlPlane: 'http://127.0.0.1:9',
  agentIds,
  missedBeats: 5,
  keptWhenAway: new Set(),
  spoolBytes: 1e8,
  fsync: 'each',
} as unknown
try {
  await startEdge(config as EdgeConfig, pino({ level: 'silent' }))
  process.stdout.write('started')
} catch (error) {
  process.stdout.write((error as Error).message)
}
process.exit()

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readEdgeConfig } from '@mandate/edge/config'
import { edgeLogger } from '@mandate/edge/run/edge-logger'
import { serveEdge } from '@mandate/edge/run/run-edge'
import { onTestFinished } from 'vitest'
import type { TestAgent } from './control-plane.ts'

/** An edge that listens for local callers. */
export interface ServedEdge {
  url: string
  token: string
  stateDir: string
  /** Its log so far. */
  output(): string
}

/** An edge in the process of the test. */
export interface ClosableEdge extends ServedEdge {
  close(): Promise<void>
}

/**
 * The settings of an edge for one agent. Heartbeats are every second. After the usual five missed ones, the edge would deny every call, so on a
 * busy machine it would close in any test: it closes after a minute instead.
 */
export const settingsOf = (controlPlane: string, { id, key }: TestAgent, stateDir: string) => ({
  MANDATE_URL: controlPlane,
  MANDATE_EDGE_KEY: key,
  MANDATE_EDGE_AGENTS: id,
  MANDATE_EDGE_STATE: stateDir,
  MANDATE_EDGE_PORT: '0',
  MANDATE_EDGE_MISSED_BEATS: '60',
})

/** How long an edge with these settings must be without a heartbeat to deny every call. */
export const missedMs = 60_100

export const localTokenIn = (stateDir: string, { id }: TestAgent) => readFile(join(stateDir, 'tokens', id), 'utf8')

/** Starts what `mandate edge run` starts, in the process of the test. It stops at the end of the test. */
export async function startServedEdge(
  controlPlane: string,
  agent: TestAgent,
  stateDir: string,
  { settings = {} }: { settings?: Record<string, string> } = {},
): Promise<ClosableEdge> {
  const config = readEdgeConfig({ ...settingsOf(controlPlane, agent, stateDir), ...settings }, {})
  let output = ''
  const write = (line: string) => {
    output += line
  }
  const { url, close } = await serveEdge(config, edgeLogger(config.logLevel, { write }))
  onTestFinished(close)
  return { url, token: await localTokenIn(stateDir, agent), stateDir, output: () => output, close }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEdgeConfig } from '@mandate/edge/config'
import type { PushLimits } from '@mandate/edge/push/push-stream'
import { type Edge, startEdge } from '@mandate/edge/start-edge'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { TestAgent } from './control-plane.ts'
import { settingsOf } from './served-edge.ts'

export interface EdgeInTest extends Edge {
  /** Its log entries, parsed. */
  log: Record<string, unknown>[]
  stateDir: string
  /** Advances the edge's wall clock, its monotonic clock, or both. */
  advance(by: { wallMs?: number; monotonicMs?: number }): void
  /** Sets how long each of the next heartbeats waits for its answer. At first, a heartbeat waits a minute, because a busy machine answers late. */
  limitHeartbeats(ms: number): void
}

export async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-edge-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export interface EdgeOptions {
  stateDir?: string
  settings?: Record<string, string>
  /** How far the edge's clocks are ahead of the machine's clock at the start. */
  clockAheadMs?: number
  /** Shortens waits of the stream. */
  pushLimits?: Partial<PushLimits>
}

/** Starts an edge for one agent with the control plane at `url`. It stops at the end of the test. */
export async function edgeFor(url: string, agent: TestAgent, options: EdgeOptions = {}): Promise<EdgeInTest> {
  const stateDir = options.stateDir ?? (await stateFolder())
  const config = readEdgeConfig(
    {
      ...settingsOf(url, agent, stateDir),
      // Most tests say when the edge learns of a change: with the heartbeat of `refresh`.
      MANDATE_EDGE_STREAM: 'off',
      ...options.settings,
    },
    {},
  )
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line)) })
  const ahead = { wallMs: options.clockAheadMs ?? 0, monotonicMs: options.clockAheadMs ?? 0 }
  const clock = () => ({
    wallMs: Date.now() + ahead.wallMs,
    monotonicMs: performance.now() + ahead.monotonicMs,
  })
  let heartbeatMs = 60_000
  const timing = { clock, pushLimits: options.pushLimits ?? {}, heartbeatMs: () => heartbeatMs }
  const edge = await startEdge(config, logger, timing)
  let closed: Promise<void> | null = null
  const close = () => {
    closed ??= edge.close()
    return closed
  }
  onTestFinished(close)
  return {
    ...edge,
    close,
    log,
    stateDir,
    advance({ wallMs = 0, monotonicMs = 0 }) {
      ahead.wallMs += wallMs
      ahead.monotonicMs += monotonicMs
    },
    limitHeartbeats(ms) {
      heartbeatMs = ms
    },
  }
}

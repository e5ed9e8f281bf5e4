import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EdgeConfig } from '../../src/config.ts'
import { controlPlaneAt } from '../../src/control-plane/control-plane.ts'
import { BackOff } from '../../src/report/back-off.ts'
import { DecisionSigning } from '../../src/report/decision-signing.ts'
import { KeyRegistration } from '../../src/report/key-registration.ts'
import { Reporter } from '../../src/report/reporter.ts'
import { SeatKeys } from '../../src/report/seat-keys.ts'
import { Spool } from '../../src/report/spool.ts'
import { startEdge } from '../../src/start-edge.ts'
import { StateSeal } from '../../src/state/state-seal.ts'
import { ChainPlane } from './chain-plane.ts'

const agentId = randomUUID()
const hourMs = 3_600_000
const soon = { timeout: 60_000, interval: 20 }
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function newPlane(): Promise<ChainPlane> {
  const plane = await ChainPlane.start()
  plane.answersHeartbeats = true
  onTestFinished(() => plane.close())
  return plane
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-resume-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

const startedMs = Date.now()

/** A reporter that waits an hour after its first failure, so that within a test only a heartbeat can end the wait. */
async function reporterFor(plane: ChainPlane) {
  const seat = await newFolder()
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const asked = controlPlaneAt(plane.url, 'ek_test')
  const seal = new StateSeal('ek_test')
  const keys = await SeatKeys.read({ seat, seal, agentIds: [agentId], log })
  const { kid } = await keys.open()
  const settings = {
    kid,
    keys,
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'second',
    offsetMs: 0,
    now: () => startedMs,
  } as const
  const spool = await Spool.open(join(seat, 'spool'), settings)
  const registration = new KeyRegistration({ plane: asked, trusted: { signed: async () => true }, log })
  const signing = new DecisionSigning({ own: keys, registration, startChain: (next) => spool.startChain(next), log })
  const backOff = new BackOff({ firstMs: 2 * hourMs, longestMs: 2 * hourMs })
  const refusals = { file: join(seat, 'refused.ndjson'), maxBytes: 1e6 }
  const rest = { adopt: async () => {}, agentIds: [], offsetMs: 0, now: () => startedMs, log }
  const reporter = new Reporter({ plane: asked, spool, signing, backOff, refusals, ...rest })
  onTestFinished(async () => {
    plane.isDown = false
    plane.refusesBatches = null
    await reporter.close()
    await spool.close()
  })
  const decide = (count: number) =>
    Promise.all(
      range(count).map(() =>
        spool.append({
          decision_id: randomUUID(),
          agent_id: agentId,
          tool: 'fn:a/b',
          effect: 'allow',
          mode: 'enforce',
          policy_version: 1,
          args_digest: '',
          at: new Date().toISOString(),
        }),
      ),
    )
  const beat = async () => {
    await asked.ask({ method: 'POST', path: '/edge/heartbeat', body: {} })
    backOff.answered()
  }
  const failures = () => logged.filter(({ msg }) => String(msg).startsWith('cannot send decisions')).length
  return { reporter, decide, beat, failures }
}

describe('after an outage of the control plane', () => {
  it('the backlog is sent right after the first heartbeat that is answered, in the order of the chain', async () => {
    const plane = await newPlane()
    plane.isDown = true
    const { reporter, decide, beat, failures } = await reporterFor(plane)
    await decide(2500)
    reporter.start()
    await expect.poll(failures, soon).toBe(1)
    await expect(beat()).rejects.toThrow()
    plane.isDown = false
    plane.requests.length = 0
    await beat()
    await expect.poll(() => plane.numbers, soon).toEqual([range(2500)])
    expect(plane.requests.slice(0, 3)).toEqual(['/edge/heartbeat 200', '/edge/keys 201', '/edge/decisions 202'])
    expect(plane.requests.filter((request) => request.startsWith('/edge/heartbeat'))).toHaveLength(1)
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })

  it('a heartbeat that is answered while a try still fails starts the next try', async () => {
    const plane = await newPlane()
    const { reporter, decide, beat, failures } = await reporterFor(plane)
    reporter.start()
    await expect.poll(() => plane.keys.size, soon).toBe(1)
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    plane.beforeBatch = () => {
      arrived.resolve()
      return released.promise
    }
    await decide(3)
    await arrived.promise
    await beat()
    plane.isDown = true
    plane.beforeBatch = async () => {
      plane.isDown = false
    }
    released.resolve()
    await expect.poll(() => plane.numbers, soon).toEqual([range(3)])
    expect(failures()).toBe(1)
    expect(plane.requests.slice(-3)).toEqual(['/edge/heartbeat 200', '/edge/decisions 0', '/edge/decisions 202'])
  })

  it.each([503, 429])('Retry-After of a %i is respected: heartbeats do not shorten it', async (status) => {
    const plane = await newPlane()
    plane.refusesBatches = { status, retryAfter: '60' }
    const { reporter, decide, beat, failures } = await reporterFor(plane)
    await decide(3)
    reporter.start()
    await expect.poll(failures, soon).toBe(1)
    plane.refusesBatches = null
    for (let count = 0; count < 5; count++) await beat().catch(() => {})
    await reporter.close()
    const heartbeats = status === 429 ? [] : Array.from({ length: 5 }, () => '/edge/heartbeat 200')
    expect(
      plane.requests.filter((request) => !request.startsWith('/edge/keys')).slice(0, 1 + heartbeats.length),
    ).toEqual([`/edge/decisions ${status}`, ...heartbeats])
  })

  it('after the time of Retry-After, the answer to a heartbeat meanwhile starts the next try', async () => {
    const plane = await newPlane()
    plane.refusesBatches = { status: 503, retryAfter: '1' }
    const { reporter, decide, beat, failures } = await reporterFor(plane)
    await decide(3)
    reporter.start()
    await expect.poll(failures, soon).toBe(1)
    plane.refusesBatches = null
    await beat()
    await expect.poll(() => plane.numbers, soon).toEqual([range(3)])
    expect(plane.requests.slice(-3)).toEqual(['/edge/decisions 503', '/edge/heartbeat 200', '/edge/decisions 202'])
  })
})

describe('an edge that starts during an outage', () => {
  it('sends its own decisions and those of an edge that has ended, after the next heartbeat', async () => {
    const plane = await newPlane()
    plane.isDown = true
    const stateDir = join(await newFolder(), 'state')
    const start = async () => {
      const logged: Record<string, unknown>[] = []
      const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
      const config = {
        stateDir,
        key: 'ek_test',
        controlPlane: plane.url,
        agentIds: [agentId],
        missedBeats: 5,
        keptWhenAway: new Set(),
        spoolBytes: 1e8,
        fsync: 'second',
      } as unknown as EdgeConfig
      const edge = await startEdge(config, log)
      const guard = edge.guardFor(agentId)
      const decide = (count: number) => Promise.all(range(count).map(() => guard.decide({ tool: 'fn:a/b', args: {} })))
      const said = (text: string) => logged.filter(({ msg }) => String(msg).includes(text))
      return { edge, decide, said }
    }
    const both = [await start(), await start()]
    for (const { decide } of both) await decide(30)
    for (const { edge } of both) await edge.close()
    const { edge, decide, said } = await start()
    plane.requests.length = 0
    onTestFinished(() => edge.close())
    await decide(10)
    await expect.poll(() => said('cannot send decisions').length, soon).toBeGreaterThanOrEqual(1)
    // A heartbeat that fails is soon sent again, also the first one of an edge.
    await expect.poll(() => plane.requests, soon).toContain('/edge/heartbeat 0')
    expect(said('answered a heartbeat')).toEqual([])
    // Batches are still refused, so no try can succeed before a heartbeat was answered.
    plane.refusesBatches = { status: 502, retryAfter: '0' }
    plane.isDown = false
    await expect
      .poll(async () => {
        await edge.refresh()
        return said('answered a heartbeat').length
      }, soon)
      .toBeGreaterThanOrEqual(1)
    plane.refusesBatches = null
    await edge.refresh()
    await expect.poll(() => plane.numbers.map(({ length }) => length).sort(), soon).toEqual([30, 40])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })
})

import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { BackOff } from '../report/back-off.ts'
import { ApprovalNews } from './approval-news.ts'
import { afterDrillMs, Push, type PushParts } from './receive-push.ts'

const id = '01a20869-1b73-772f-8178-b9aa1e39d69d'
const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
const started = {
  id,
  scope: 'organization',
  drill: false,
  lifted: false,
  at: '2026-01-01T00:00:00.000Z',
  signature: 's',
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A stream that a test writes, and a carrier that notes what is fetched. `answer` gives the hash and the number of a fetched profile. */
async function startPush(answer: () => Promise<[hash: string, seq: number]>, isCompared = async () => {}) {
  const beatsWithin: number[] = []
  const standing = { profile: { hash: a, seq: 1 }, isRefused: false }
  const fetched: (readonly string[])[] = []
  let write: (text: string) => void = () => {}
  async function* chunks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    while (!signal.aborted)
      yield await new Promise<Uint8Array>((resolve) => {
        write = (text) => resolve(Buffer.from(text))
        signal.addEventListener('abort', () => write(''))
      })
  }
  const carrier: PushParts['carrier'] = {
    async fetch(agentIds, { instanceId }) {
      fetched.push(agentIds)
      if (agentIds.length === 0) return { heard: true, changed: false }
      try {
        if (instanceId !== undefined) await isCompared()
      } catch (error) {
        return { heard: false, changed: false, error }
      }
      const [hash, seq] = await answer()
      Object.assign(standing, { profile: { hash, seq }, isRefused: false })
      return { heard: true, changed: true }
    },
    async applyFreeze(document) {
      if (!(document as typeof started).lifted) standing.isRefused = true
      return [id]
    },
  }
  const push = new Push({
    streams: { open: async (_path, signal) => chunks(signal) },
    instanceId: 'one',
    agents: new Map([[id, standing as never]]),
    carrier,
    approvals: new ApprovalNews(),
    onReached() {},
    beatWithin: (ms) => beatsWithin.push(ms),
    log: pino({ level: 'silent' }),
  })
  const tell = async (type: string, data: object) => {
    write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
    await vi.advanceTimersByTimeAsync(1)
  }
  const tellProfile = (profile_hash: string, profile_seq: number) =>
    tell('profile', { agent_id: id, profile_hash, profile_seq })
  await vi.advanceTimersByTimeAsync(1)
  write(': connected\n\n')
  await vi.advanceTimersByTimeAsync(1)
  // The comparison of all profiles, when the stream opened.
  expect(fetched.splice(0)).toEqual([[id]])
  return { push, standing, fetched, beatsWithin, tell, tellProfile }
}

test('after a freeze it notes the stop on disk at once, and fetches the profile once, after some seconds', async () => {
  const { push, fetched, tell, tellProfile } = await startPush(async () => [b, 2])
  await tell('freeze', started)
  await tellProfile(c, 3)
  await tell('freeze', started)
  expect(fetched).toEqual([[], []])
  await vi.advanceTimersByTimeAsync(10_001)
  expect(fetched).toEqual([[], [], [id]])
  await push.close()
})

test('after the end of a freeze it fetches the profile within 2 seconds', async () => {
  const { push, fetched, tell, tellProfile } = await startPush(async () => [b, 2])
  await tell('freeze', started)
  await tell('freeze', { ...started, lifted: true })
  await tellProfile(c, 3)
  await vi.advanceTimersByTimeAsync(2_001)
  expect(fetched).toEqual([[], [id]])
  await push.close()
})

test('fetches a profile at once if the agent acts again before the fetch after its freeze', async () => {
  const { push, standing, fetched, tell, tellProfile } = await startPush(async () => [b, 2])
  await tell('freeze', started)
  // A heartbeat brought the end of the freeze.
  standing.isRefused = false
  await tellProfile(c, 3)
  expect(fetched).toEqual([[], [id]])
  await push.close()
})

test('fetches again if the profile changed and changed back during a fetch', async () => {
  const answers: [string, number][] = [[a, 1]]
  const open = Promise.withResolvers<[string, number]>()
  const { push, standing, fetched, tellProfile } = await startPush(async () => answers.shift() ?? (await open.promise))
  await tellProfile(b, 2)
  await tellProfile(a, 3)
  expect(fetched).toEqual([[id]])
  answers.push([a, 3])
  open.resolve([b, 2])
  await vi.advanceTimersByTimeAsync(1)
  expect(fetched).toEqual([[id], [id]])
  expect(standing.profile).toEqual({ hash: a, seq: 3 })
  await tellProfile(a, 3)
  await tellProfile(b, 2)
  expect(fetched).toHaveLength(2)
  await push.close()
})

test('tries the comparison again until it is answered, however often it fails', async () => {
  let failures = 8
  const waits: number[] = []
  const started = Promise.withResolvers<'over'>()
  vi.spyOn(BackOff.prototype, 'wait').mockImplementation(async ({ waitMs, askedMs }) => {
    waits.push(waitMs)
    expect(askedMs).toBe(5_000)
    return started.promise
  })
  const { push, fetched, tellProfile } = await startPush(
    async () => [b, 2],
    async () => {
      if (failures-- > 0) throw new ControlPlaneAway('busy', 5_000)
    },
  )
  started.resolve('over')
  // `startPush` has seen the first request.
  await vi.waitFor(() => expect(fetched).toHaveLength(8))
  expect(waits).toHaveLength(8)
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
  await tellProfile(c, 3)
  expect(fetched).toHaveLength(9)
  await push.close()
})

test('after a drill it sends a heartbeat within half a second, at a random moment', async () => {
  const { push, beatsWithin, tell } = await startPush(async () => [b, 2])
  beatsWithin.length = 0
  await tell('freeze', { ...started, drill: true })
  expect(beatsWithin).toEqual([afterDrillMs])
  await push.close()
})

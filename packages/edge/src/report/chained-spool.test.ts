import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { StateSeal } from '../state/state-seal.ts'
import { type ChainedRecord, type ChainHead, emptyChain, headAfter } from './record-chain.ts'
import { SeatKeys } from './seat-keys.ts'
import { windowLengthMs } from './segment-name.ts'
import { type DecisionRecord, Spool, type SpoolKeys } from './spool.ts'

const agentId = randomUUID()
const kid = '0123456789abcdef'
const startedMs = Date.now()
/** A clock that stands still. All records are then in the same reporting window. */
const still = () => startedMs
const decision = (): DecisionRecord => ({
  agent_id: agentId,
  args_digest: '',
  at: new Date().toISOString(),
  decision_id: randomUUID(),
  effect: 'allow',
  mode: 'enforce',
  policy_version: 1,
  tool: 'mcp:a/b',
})

/** Keeps the heads of deleted segments, like the file of a key. */
function keptHeads() {
  const heads = new Map<string, ChainHead>()
  const keys: SpoolKeys = {
    headOf: (kid) => heads.get(kid) ?? null,
    isOurs: () => true,
    retire: async (kid, head) => void heads.set(kid, head),
  }
  return { heads, keys }
}

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mandate-chain-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

function expectChain(records: readonly DecisionRecord[], from: ChainHead = emptyChain): ChainHead {
  let head = from
  for (const record of records as ChainedRecord[]) {
    expect([record.seq, record.prev]).toEqual([head.seq + 1, head.hash])
    head = headAfter(record)
  }
  return head
}

type Step = { append: number } | { is: 'send' | 'clean' | 'reopen' | 'crash' | 'later' | 'earlier' }
const steps = fc.array(
  fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ is: fc.constantFrom('send', 'clean', 'reopen', 'crash', 'later', 'earlier') }),
  ),
  { maxLength: 25 },
) as fc.Arbitrary<Step[]>

it('has one chain without holes, whatever happens between the records', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 300, max: 3000 }), async (all, segmentBytes) => {
      const path = await mkdtemp(join(tmpdir(), 'mandate-chain-'))
      const { keys } = keptHeads()
      let now = 1000 * windowLengthMs
      const settings = {
        kid,
        keys,
        maxBytes: 1e9,
        agentIds: [agentId],
        fsync: 'second',
        offsetMs: 0,
        segmentBytes,
      } as const
      const open = () => Spool.open(path, { ...settings, now: () => now })
      let spool = await open()
      const sent = new Map<number, ChainedRecord>()
      let appended = 0
      const crashed: Spool[] = []
      const send = async () => {
        for (let batch = await spool.next(5, 1e6); batch; batch = await spool.next(5, 1e6)) {
          expect([batch.kid, batch.damaged]).toEqual([kid, 0])
          for (const record of batch.records as ChainedRecord[]) {
            // A record that is sent twice has the same position and the same content.
            expect(sent.get(record.seq) ?? record).toEqual(record)
            sent.set(record.seq, record)
          }
          batch.sent()
        }
      }
      for (const step of all) {
        if ('append' in step) {
          await Promise.all(Array.from({ length: step.append }, () => spool.append(decision())))
          appended += step.append
        } else if (step.is === 'send') await send()
        else if (step.is === 'later') now += windowLengthMs
        else if (step.is === 'earlier') now -= 3 * windowLengthMs
        else if (step.is === 'clean') {
          for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
          await spool.clean(now)
        } else {
          if (step.is === 'reopen') await spool.close()
          else crashed.push(spool)
          spool = await open()
        }
      }
      await spool.close()
      spool = await open()
      await send()
      for (const one of [spool, ...crashed]) await one.close()
      expectChain([...sent].sort(([a], [b]) => a - b).map(([, record]) => record))
      expect(sent.size).toBe(appended)
      await rm(path, { recursive: true })
    }),
    { numRuns: 60 },
  )
})

it('reuses the position of an incomplete last line', async () => {
  const path = await newFolder()
  const settings = { kid, maxBytes: 1e9, agentIds: [agentId], fsync: 'each', offsetMs: 0, now: still } as const
  let spool = await Spool.open(path, settings)
  for (let n = 0; n < 3; n++) await spool.append(decision())
  await spool.close()
  const file = join(path, (await readdir(path))[0] as string)
  await truncate(file, (await readFile(file)).length - 10)
  spool = await Spool.open(path, settings)
  await spool.append(decision())
  const { records = [] } = (await spool.next(10, 1e6)) ?? {}
  expect(expectChain(records).seq).toBe(3)
  await spool.close()
})

it('keeps the last segment of a key while its head cannot be stored', async () => {
  const path = await newFolder()
  let now = 1000 * windowLengthMs
  const { heads, keys } = keptHeads()
  let isFull = true
  const retire: SpoolKeys['retire'] = (kid, head) =>
    isFull ? Promise.reject(new Error('ENOSPC')) : keys.retire(kid, head)
  const settings = {
    kid,
    keys: { ...keys, retire },
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'each',
    offsetMs: 0,
  } as const
  const spool = await Spool.open(path, { ...settings, now: () => now })
  const pass = async () => {
    for (let batch = await spool.next(10, 1e6); batch; batch = await spool.next(10, 1e6)) batch.sent()
    now += windowLengthMs
    for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
    await spool.clean(now)
    return (await readdir(path)).length
  }
  await spool.append(decision())
  expect(await pass()).toBe(1)
  await spool.append(decision())
  expect(await pass()).toBe(1)
  isFull = false
  expect([await pass(), heads.get(kid)?.seq]).toEqual([0, 2])
  await spool.close()
})

it('begins another chain in a segment of its own, and sends the chains one after the other', async () => {
  const path = await newFolder()
  const spool = await Spool.open(path, {
    kid,
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'each',
    offsetMs: 0,
    now: still,
  })
  const next = 'fedcba9876543210'
  for (let n = 0; n < 3; n++) await spool.append(decision())
  spool.startChain(next)
  for (let n = 0; n < 2; n++) await spool.append(decision())
  for (const [of, count] of [
    [kid, 3],
    [next, 2],
  ] as const) {
    const batch = await spool.next(10, 1e6)
    expect(batch?.kid).toBe(of)
    expect(expectChain(batch?.records ?? []).seq).toBe(count)
    batch?.sent()
  }
  expect(await spool.next(10, 1e6)).toBeNull()
  await spool.close()
})

it('rejects a record that has no canonical form, and the chain goes on', async () => {
  const spool = await Spool.open(await newFolder(), {
    kid,
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'each',
    offsetMs: 0,
    now: still,
  })
  const bad = { ...decision(), tool: '\ud800' }
  const settled = await Promise.allSettled([decision(), bad, decision()].map((one) => spool.append(one)))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(expectChain((await spool.next(10, 1e6))?.records ?? []).seq).toBe(2)
  await spool.close()
})

const other = randomUUID()

it.each([
  ['in which another agent decided last', [[agentId], [agentId, other]], 1],
  ['in which another agent decided first', [[agentId, other], [agentId]], 0],
])(
  'an edge that serves a part of the agents leaves the key of a spool %s, and its chain goes on',
  async (_, windows, sent) => {
    const seat = await newFolder()
    let now = 1000 * windowLengthMs
    const open = async (credential: string, agentIds: string[]) => {
      const keys = await SeatKeys.read({
        seat,
        seal: new StateSeal(credential),
        agentIds,
        log: pino({ level: 'silent' }),
      })
      const { kid } = await keys.open()
      const given = { kid, keys, maxBytes: 1e6, agentIds, fsync: 'each', offsetMs: 0, now: () => now } as const
      return { keys, kid, spool: await Spool.open(join(seat, 'spool'), given) }
    }
    const pass = async (spool: Spool) => {
      const records: DecisionRecord[] = []
      for (let batch = await spool.next(10, 1e6); batch; batch = await spool.next(10, 1e6)) {
        records.push(...batch.records)
        batch.sent()
      }
      for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
      await spool.clean(now)
      await spool.close()
      return records
    }
    const first = await open('ek_all', [agentId, other])
    for (const agents of windows) {
      for (const agent_id of agents) await first.spool.append({ ...decision(), agent_id })
      now += windowLengthMs
    }
    await first.spool.close()
    const part = await open('ak_one', [agentId])
    const early = await pass(part.spool)
    expect(early).toHaveLength(sent)
    const again = await open('ek_all', [agentId, other])
    expect([again.kid, again.keys.find(first.kid)?.kid]).toEqual([first.kid, first.kid])
    await again.spool.append(decision())
    expect(expectChain([...early, ...(await pass(again.spool))]).seq).toBe(4)
  },
)

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { windowAt, windowLengthMs, windowOffset } from './segment-name.ts'
import { type DecisionRecord, Spool, SpoolFull, type SpoolSettings } from './spool.ts'

const agentId = randomUUID()
const decision = (more: Partial<DecisionRecord> = {}): DecisionRecord => ({
  decision_id: randomUUID(),
  agent_id: agentId,
  tool: 'mcp:a/b',
  effect: 'allow',
  mode: 'enforce',
  policy_version: 1,
  args_digest: '',
  at: new Date().toISOString(),
  ...more,
})

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mandate-spool-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** The time of a clock that stands still. All records are then in the same reporting window. */
const startedMs = Date.now()

async function open(path: string, settings: Partial<SpoolSettings> = {}): Promise<Spool> {
  const usual = { maxBytes: 1e9, agentIds: [agentId], fsync: 'second', offsetMs: 0, now: () => startedMs } as const
  return await Spool.open(path, { ...usual, ...settings })
}

/** Returns all unsent records. Reads them in batches of `most`. */
async function takeAll(spool: Spool, most = 7, limitBytes = 500): Promise<DecisionRecord[]> {
  const taken: DecisionRecord[] = []
  for (let batch = await spool.next(most, limitBytes); batch; batch = await spool.next(most, limitBytes)) {
    expect(batch.records.length).toBeLessThanOrEqual(most)
    taken.push(...batch.records)
    batch.sent()
  }
  return taken
}

describe('a recorded decision', () => {
  it('is read back once, in any pattern of writes, segments and reads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 }),
        fc.integer({ min: 100, max: 5000 }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (groups, segmentBytes, most, reopen) => {
          const path = await mkdtemp(join(tmpdir(), 'mandate-spool-'))
          let spool = await open(path, { segmentBytes, fsync: reopen ? 'each' : 'second' })
          const all: DecisionRecord[] = []
          for (const size of groups) {
            const group = Array.from({ length: size }, () => decision({ tool: `fn:é/${'x'.repeat(size)}` }))
            all.push(...group)
            await Promise.all(group.map((one) => spool.append(one)))
          }
          if (reopen) {
            await spool.close()
            spool = await open(path, { segmentBytes })
          }
          expect(await takeAll(spool, most)).toEqual(all)
          await spool.close()
          await rm(path, { recursive: true })
        },
      ),
      { numRuns: 30 },
    )
  })

  it('survives a partial write: complete records stay, and the incomplete one was never answered', async () => {
    const path = await folder()
    const spool = await open(path)
    const kept = [decision(), decision()]
    for (const one of kept) await spool.append(one)
    await spool.close()
    const [file] = await readdir(path)
    await appendFile(join(path, file as string), JSON.stringify(decision()).slice(0, 50))
    const again = await open(path)
    const next = decision()
    await again.append(next)
    expect(await takeAll(again)).toEqual([...kept, next])
    await again.close()
  })

  it('is skipped and counted if it was damaged on disk, and the others are sent', async () => {
    const path = await folder()
    const spool = await open(path)
    for (let n = 0; n < 3; n++) await spool.append(decision())
    await spool.close()
    const [file] = await readdir(path)
    const line = `${JSON.stringify(decision())}\n`
    await writeFile(join(path, file as string), `${line}\0\0\0\n${line}`)
    const again = await open(path)
    const batch = await again.next(10, 10_000)
    expect([batch?.records.length, batch?.damaged]).toEqual([2, 1])
    await again.close()
  })

  it.each(['null', '5', '[]', '{}', `{"agent_id":"${agentId}","effect":"__proto__"}`])(
    'is skipped and counted if it is not a record, such as %s, and the edge starts',
    async (damaged) => {
      const path = await folder()
      const spool = await open(path)
      await spool.append(decision())
      await spool.close()
      const [file] = await readdir(path)
      await appendFile(join(path, file as string), `${damaged}\n`)
      const again = await open(path)
      const batch = await again.next(10, 10_000)
      expect([batch?.records.length, batch?.damaged]).toEqual([1, 1])
      expect(again.ended(Date.now() + 2 * windowLengthMs)[0]?.counts.size).toBe(1)
      await again.close()
    },
  )

  it.skipIf(!existsSync('/proc/self/fd'))('needs one open file, however many windows wait to be sent', async () => {
    const path = await folder()
    let now = 10 * windowLengthMs
    let spool = await open(path, { now: () => now })
    const openFiles = async () => {
      const links = await readdir('/proc/self/fd')
      const targets = await Promise.all(links.map((link) => readlink(join('/proc/self/fd', link)).catch(() => '')))
      return targets.filter((target) => target.startsWith(path)).length
    }
    for (let n = 0; n < 20; n++, now += windowLengthMs) await spool.append(decision())
    expect([(await readdir(path)).length, await openFiles()]).toEqual([20, 1])
    await spool.close()
    spool = await open(path, { now: () => now })
    expect(await openFiles()).toBe(0)
    await spool.append(decision())
    expect(await takeAll(spool)).toHaveLength(21)
    expect(await openFiles()).toBe(1)
    await spool.close()
  })

  it('is rejected above the limit until sent and counted records make room', async () => {
    const path = await folder()
    let now = 10 * windowLengthMs
    const spool = await open(path, { maxBytes: 1000, now: () => now })
    await spool.append(decision())
    const appended = await Promise.allSettled(Array.from({ length: 9 }, () => spool.append(decision())))
    const refused = appended.filter(({ status }) => status === 'rejected')
    expect(refused[0]).toMatchObject({ reason: expect.any(SpoolFull) })
    expect(spool.size).toBeLessThanOrEqual(1000)
    expect(await takeAll(spool)).toHaveLength(10 - refused.length)
    now += windowLengthMs
    for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
    await spool.clean(now)
    expect([spool.size, await readdir(path)]).toEqual([0, []])
    await spool.append(decision())
    await spool.close()
  })

  it('of one agent leaves room for those of another, in one write and after a restart', async () => {
    const path = await folder()
    const other = randomUUID()
    const settings = { maxBytes: 4000, agentIds: [agentId, other] }
    let spool = await open(path, settings)
    const flood = () => Promise.allSettled(Array.from({ length: 30 }, () => spool.append(decision())))
    const [, flooded] = await Promise.all([flood(), spool.append(decision({ agent_id: other })).then(() => true)])
    expect(flooded).toBe(true)
    await spool.close()
    spool = await open(path, settings)
    await expect(spool.append(decision())).rejects.toThrow(SpoolFull)
    await spool.append(decision({ agent_id: other }))
    await spool.close()
  })

  it('of an abandoned spool is adopted, and stays in its folder until it is sent and counted', async () => {
    const [from, to] = [await folder(), await folder()]
    let now = 10 * windowLengthMs
    const left = await open(from, { segmentBytes: 500, now: () => now })
    for (let n = 0; n < 5; n++) await left.append(decision())
    await left.close()
    const spool = await open(to, { now: () => now })
    await spool.append(decision())
    let isEmpty = false
    const onEmpty = () => {
      isEmpty = true
    }
    expect(await spool.adopt(from, undefined, onEmpty)).toBeGreaterThan(1)
    await spool.append(decision())
    expect((await takeAll(spool)).length).toBe(7)
    expect([(await readdir(from)).length, isEmpty]).toEqual([2, false])
    now += windowLengthMs
    const [window] = spool.ended(now)
    expect(window?.counts.get(agentId)?.allow).toBe(7)
    spool.markReported(window?.startMs as number)
    await spool.clean(now)
    expect([await readdir(from), isEmpty, spool.size]).toEqual([[], true, 0])
    await spool.close()
  })

  it('has room in the spool of an edge that adopted a full spool, before and after the adopted decisions were sent', async () => {
    const [from, to] = [await folder(), await folder()]
    let now = 10 * windowLengthMs
    const settings = { maxBytes: 4000, now: () => now }
    const fill = (spool: Spool, of: string) =>
      Promise.allSettled(Array.from({ length: 30 }, () => spool.append(decision({ agent_id: of })))).then(
        (settled) => settled.filter(({ status }) => status === 'fulfilled').length,
      )
    const left = await open(from, settings)
    const full = await fill(left, agentId)
    await left.close()
    const other = randomUUID()
    const spool = await open(to, { ...settings, agentIds: [other] })
    await spool.adopt(from)
    expect([full, await fill(spool, other)]).toEqual([expect.toSatisfy((count) => count > 5), full])
    expect(await takeAll(spool)).toHaveLength(2 * full)
    now += windowLengthMs
    for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
    await spool.clean(now)
    expect([await fill(spool, other), await readdir(from)]).toEqual([full, []])
    await spool.close()
  })
})

describe('windows', () => {
  it('are counted by agent and effect when they end, and again after a restart before the report', async () => {
    const path = await folder()
    let now = 100 * windowLengthMs + 5
    let spool = await open(path, { now: () => now })
    const other = randomUUID()
    for (const one of [
      decision(),
      decision({ effect: 'deny' }),
      decision({ agent_id: other, effect: 'require_approval' }),
    ]) {
      await spool.append(one)
    }
    await takeAll(spool)
    expect(spool.ended(now)).toEqual([])
    await spool.clean(now)
    await spool.close()
    spool = await open(path, { now: () => now })
    now = 101 * windowLengthMs
    const counts = new Map([
      [agentId, { allow: 1, deny: 1, require_approval: 0 }],
      [other, { allow: 0, deny: 0, require_approval: 1 }],
    ])
    expect(spool.ended(now)).toEqual([{ startMs: 100 * windowLengthMs, endMs: 101 * windowLengthMs, counts }])
    await spool.close()
  })

  it('count a call once if another record describes its result, also after a restart', async () => {
    const path = await folder()
    let now = 10 * windowLengthMs
    let spool = await open(path, { now: () => now })
    const call = decision()
    for (const one of [call, decision({ of: call.decision_id })]) await spool.append(one)
    now += windowLengthMs
    await spool.append(decision({ of: call.decision_id, effect: 'deny' }))
    now += windowLengthMs
    const reported = () => spool.ended(now).map(({ counts }) => [...counts.values()])
    const expected = [[{ allow: 1, deny: 0, require_approval: 0 }], []]
    expect(reported()).toEqual(expected)
    await spool.close()
    spool = await open(path, { now: () => now })
    expect(reported()).toEqual(expected)
    expect(await takeAll(spool)).toHaveLength(3)
    for (const { startMs } of spool.ended(now)) spool.markReported(startMs)
    await spool.clean(now)
    expect([spool.size, await readdir(path)]).toEqual([0, []])
    await spool.close()
  })

  it('are not written after their report, even if the clock goes back', async () => {
    const path = await folder()
    let now = 100 * windowLengthMs
    const spool = await open(path, { now: () => now })
    await spool.append(decision())
    await takeAll(spool)
    now += windowLengthMs
    spool.markReported(100 * windowLengthMs)
    await spool.clean(now)
    now -= 30 * windowLengthMs
    await spool.append(decision())
    expect(spool.ended(1000 * windowLengthMs)[0]?.startMs).toBeGreaterThan(100 * windowLengthMs)
    await spool.close()
  })

  it.each([false, true])(
    'of a clock that was years ahead end once the clock is right (restarted: %s)',
    async (isRestarted) => {
      const path = await folder()
      const right = 100 * windowLengthMs
      let now = right + 1e12
      let spool = await open(path, { now: () => now })
      await spool.append(decision())
      now = right
      if (isRestarted) {
        await spool.close()
        spool = await open(path, { now: () => now })
      }
      await spool.append(decision())
      expect(await takeAll(spool)).toHaveLength(2)
      now += windowLengthMs
      const ended = spool.ended(now).map(({ startMs }) => startMs)
      expect(ended).toEqual([right, windowAt(right + 1e12, 0)])
      for (const startMs of ended) spool.markReported(startMs)
      await spool.clean(now)
      expect(spool.size).toBe(0)
      await spool.append(decision())
      expect(spool.ended(now + windowLengthMs).map(({ startMs }) => startMs)).toEqual([now])
      await spool.close()
    },
  )

  it('contain every moment exactly once, with any offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.uuid(), (wallMs, instance) => {
        const startMs = windowAt(wallMs, windowOffset(instance))
        expect(startMs).toBeLessThanOrEqual(wallMs)
        expect(wallMs - startMs).toBeLessThan(windowLengthMs)
        expect(windowAt(startMs + windowLengthMs, windowOffset(instance))).toBe(startMs + windowLengthMs)
      }),
    )
  })
})

it('accept an empty segment', async () => {
  const path = await folder()
  const spool = await open(path)
  await spool.append(decision())
  await spool.close()
  const [file] = await readdir(path)
  await truncate(join(path, file as string), 0)
  const again = await open(path)
  expect(await again.next(10, 100)).toBeNull()
  await again.close()
})

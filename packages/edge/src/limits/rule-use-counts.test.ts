import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RuleUseCounts } from './rule-use-counts.ts'

const log = pino({ level: 'silent' })
const hourMs = 3_600_000
const start = Date.parse('2026-03-02T09:00:00.000Z')
const rule = (count: number, window_s = 3600, ruleId = 'rule') => ({ ruleId, limit: { count, window_s } })

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-limits-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function newCounts(now = () => start, folder?: string) {
  const shared = folder ?? (await newFolder())
  const counts = new RuleUseCounts(shared, { now, log, isSynced: false })
  onTestFinished(() => counts.close())
  return { counts, shared }
}

/** Uses a rule several times. Returns how many uses were counted. */
function use(counts: RuleUseCounts, one: ReturnType<typeof rule>, times = 1, agent = 'agent'): number {
  return Array.from({ length: times }, () => counts.take(agent, [one])).filter((taken) => 'counted' in taken).length
}

describe('uses of a rule', () => {
  it('are counted up to the limit, for each agent and each rule', async () => {
    const { counts } = await newCounts()
    expect(use(counts, rule(10), 15)).toBe(10)
    expect(counts.uses('agent', rule(10))).toBe(10)
    expect(counts.take('agent', [rule(10)])).toEqual({ ruleId: 'rule', uses: 10 })
    expect(counts.uses('other', rule(10))).toBe(0)
    expect(use(counts, rule(10, 3600, 'other'), 3)).toBe(3)
  })

  it('are counted for all rules of a call or for none', async () => {
    const { counts } = await newCounts()
    use(counts, rule(1, 60, 'full'))
    expect(counts.take('agent', [rule(5, 60, 'free'), rule(1, 60, 'full')])).toEqual({ ruleId: 'full', uses: 1 })
    expect(counts.uses('agent', rule(5, 60, 'free'))).toBe(0)
  })

  it('are taken back once', async () => {
    const { counts } = await newCounts()
    use(counts, rule(2))
    const taken = counts.take('agent', [rule(2)])
    if (!('counted' in taken)) throw new Error('not counted')
    counts.release(taken.counted)
    expect(counts.uses('agent', rule(2))).toBe(1)
    expect(use(counts, rule(2), 2)).toBe(1)
  })

  it('count for one window, and at most a sixtieth of it longer', async () => {
    let now = start + 12_345
    const { counts } = await newCounts(() => now)
    use(counts, rule(1))
    now += hourMs - 1
    expect(counts.uses('agent', rule(1))).toBe(1)
    now += hourMs / 60 + 1
    expect(counts.uses('agent', rule(1))).toBe(0)
    expect(use(counts, rule(1))).toBe(1)
  })

  it('never exceed the limit in any window, and are free again a sixtieth later, for any times', async () => {
    const shared = await newFolder()
    let round = 0
    const limit = fc.record({ count: fc.integer({ min: 1, max: 5 }), window_s: fc.constantFrom(1, 7, 60, 86_400) })
    fc.assert(
      fc.property(limit, fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }), (given, steps) => {
        let now = start
        const counts = new RuleUseCounts(shared, { now: () => now, log, isSynced: false })
        const one = { ruleId: `rule ${round++}`, limit: given }
        const windowMs = given.window_s * 1000
        const used: number[] = []
        for (const step of steps) {
          now += Math.round((step * windowMs) / 100)
          const within = used.filter((time) => time > now - windowMs).length
          const surely = used.filter((time) => time > now - windowMs - windowMs / 60 - 1).length
          const isCounted = use(counts, one) === 1
          if (within >= given.count) expect(isCounted).toBe(false)
          if (surely < given.count) expect(isCounted).toBe(true)
          if (isCounted) used.push(now)
        }
        counts.close()
      }),
      { numRuns: 60 },
    )
  })

  it('survive a restart, and are those of all processes of the state folder', async () => {
    const { counts, shared } = await newCounts()
    use(counts, rule(5), 2)
    const { counts: other } = await newCounts(() => start, shared)
    expect(use(other, rule(5), 2)).toBe(2)
    expect(counts.uses('agent', rule(5))).toBe(4)
    counts.close()
    other.close()
    const { counts: later } = await newCounts(() => start, shared)
    expect(use(later, rule(5), 9)).toBe(1)
  })

  it('stay counted when the clock is set back, and end a window later', async () => {
    let now = start
    const { counts } = await newCounts(() => now)
    use(counts, rule(3), 2)
    now -= 30 * 24 * hourMs
    expect(counts.uses('agent', rule(3))).toBe(2)
    expect(use(counts, rule(3), 9)).toBe(1)
    now += hourMs - 1
    expect(counts.uses('agent', rule(3))).toBe(3)
    now += hourMs / 60 + 1
    expect(counts.uses('agent', rule(3))).toBe(0)
  })

  it('count in a window that becomes shorter or longer', async () => {
    let now = start
    const { counts } = await newCounts(() => now)
    use(counts, rule(9, 86_400), 3)
    now += 60_000
    expect(counts.uses('agent', rule(9, 3600))).toBe(3)
    use(counts, rule(9, 3600))
    expect(counts.uses('agent', rule(9, 86_400))).toBe(4)
  })
})

describe('the database', () => {
  const fileIn = (shared: string) => join(shared, 'limits', 'uses-1.sqlite')
  const filesIn = (shared: string) => readdirSync(join(shared, 'limits')).sort()

  it('does not exist before a rule with a limit is asked for, and belongs to its owner', async () => {
    const { counts, shared } = await newCounts()
    expect(readdirSync(shared)).toEqual([])
    use(counts, rule(1))
    expect(statSync(join(shared, 'limits')).mode & 0o777).toBe(0o700)
    for (const name of filesIn(shared)) expect(statSync(join(shared, 'limits', name)).mode & 0o777).toBe(0o600)
    expect(filesIn(shared)).toContain('uses-1.sqlite')
  })

  it.each<[string, (file: string) => void]>([
    ['is empty', (file) => truncateSync(file, 0)],
    ['is cut in its header', (file) => truncateSync(file, 60)],
    ['is cut after a page', (file) => truncateSync(file, 4096)],
    ['is cut within a page', (file) => truncateSync(file, 4096 * 2 + 100)],
    ['is another file', (file) => writeFileSync(file, 'not a database'.repeat(1000))],
    ['has zeros in a page', (file) => writeFileSync(file, zeroed(readFileSync(file)))],
  ])('closes while a window could have lost uses if it %s, also after a restart', async (_, damage) => {
    let now = start
    const { counts, shared } = await newCounts(() => now)
    use(counts, rule(5), 5)
    counts.close()
    damage(fileIn(shared))
    const { counts: restarted } = await newCounts(() => now, shared)
    expect(restarted.uses('agent', rule(5))).toBeUndefined()
    expect(restarted.take('agent', [rule(5)])).toEqual({ ruleId: 'rule', uses: undefined })
    now += hourMs - 1
    const { counts: later } = await newCounts(() => now, shared)
    expect(use(later, rule(5))).toBe(0)
    expect(later.uses('agent', rule(5, 1800))).toBe(0)
    now += 1
    expect(use(later, rule(5), 9)).toBe(5)
    expect(filesIn(shared).filter((name) => name.endsWith('.sqlite'))).toEqual(['uses-2.sqlite'])
  })

  it.each<[string, (shared: string) => void]>([
    ['is cut', (shared) => truncateSync(fileIn(shared), 100)],
    ['is empty', (shared) => truncateSync(fileIn(shared), 0)],
    ['is deleted', (shared) => rmSync(fileIn(shared))],
    ['is deleted with its folder', (shared) => rmSync(join(shared, 'limits'), { recursive: true })],
  ])('closes for all running processes if it %s', async (_, damage) => {
    let now = start
    const { counts, shared } = await newCounts(() => now)
    const { counts: other } = await newCounts(() => now, shared)
    use(counts, rule(5), 3)
    expect(other.uses('agent', rule(5))).toBe(3)
    damage(shared)
    expect([use(counts, rule(5)), use(other, rule(5)), use(counts, rule(5))]).toEqual([0, 0, 0])
    now += hourMs
    expect([use(counts, rule(5), 3), use(other, rule(5), 3)]).toEqual([3, 2])
  })

  it('is known again after a window if the clock is set back after it was lost', async () => {
    let now = start
    const { counts, shared } = await newCounts(() => now)
    use(counts, rule(5))
    truncateSync(fileIn(shared), 0)
    expect(counts.uses('agent', rule(5))).toBeUndefined()
    now -= 30 * 24 * hourMs
    expect(counts.uses('agent', rule(5))).toBeUndefined()
    now += hourMs
    expect(counts.uses('agent', rule(5))).toBe(0)
  })

  it('closes if it cannot be written', async () => {
    const shared = await newFolder()
    writeFileSync(join(shared, 'limits'), 'a file in place of the folder')
    const { counts } = await newCounts(() => start, shared)
    expect(counts.uses('agent', rule(5))).toBeUndefined()
    expect(counts.take('agent', [rule(5)])).toEqual({ ruleId: 'rule', uses: undefined })
  })

  it('closes while another process does not release it, and loses no use', async () => {
    const { counts, shared } = await newCounts()
    use(counts, rule(5), 2)
    const other = new DatabaseSync(fileIn(shared))
    other.exec('begin exclusive')
    expect(counts.take('agent', [rule(5)])).toEqual({ ruleId: 'rule', uses: undefined })
    other.exec('rollback')
    other.close()
    expect(counts.uses('agent', rule(5))).toBe(2)
    expect(use(counts, rule(5), 9)).toBe(3)
  })

  it('forgets uses whose window is over, also those of rules that are gone', async () => {
    let now = start
    const { counts, shared } = await newCounts(() => now)
    const many = (from: number) => Array.from({ length: 500 }, (_, at) => rule(9, 60, `rule ${from + at}`))
    for (let hour = 0; hour < 6; hour++) {
      counts.take('agent', many(hour * 500))
      now += 2 * hourMs
    }
    use(counts, rule(9))
    copyFileSync(fileIn(shared), join(shared, 'copy.sqlite'))
    const copy = new DatabaseSync(join(shared, 'copy.sqlite'))
    expect(copy.prepare('select count(*) as rows from uses').get()).toEqual({ rows: 1 })
    copy.close()
    expect(statSync(fileIn(shared)).size).toBeLessThan(400_000)
  })
})

const script = fileURLToPath(new URL('../../test/limits/use-rule.ts', import.meta.url))

/** Starts a process that uses a rule. `lines` has its output so far. */
function startUser(folder: string, count: number, attempts: number) {
  const child = spawn(process.execPath, [script, folder, String(count), String(attempts)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
  return { child, lines, ended: once(child, 'close') }
}

it('forced to the disk, uses are counted in the same way', async () => {
  const shared = await newFolder()
  const counts = new RuleUseCounts(shared, { now: () => start, log, isSynced: true })
  onTestFinished(() => counts.close())
  expect(use(counts, rule(3), 5)).toBe(3)
})

describe('several processes', () => {
  it('count exactly up to the limit together', async () => {
    const folder = await newFolder()
    const users = [startUser(folder, 10, 200), startUser(folder, 10, 200), startUser(folder, 10, 200)]
    await Promise.all(users.map(({ ended }) => ended))
    const lines = users.flatMap((user) => user.lines)
    expect(lines.filter((line) => line === 'full')).toHaveLength(3)
    expect(lines.filter((line) => line === 'counted')).toHaveLength(10)
  }, 60_000)

  it('lose no use when one is killed at any moment', async () => {
    const folder = await newFolder()
    const most = 100_000
    let told = 0
    for (let round = 0; round < 4; round++) {
      const { child, lines, ended } = startUser(folder, most, most)
      while (lines.length < 50 * (round + 1)) await new Promise((resolve) => setTimeout(resolve, 5))
      child.kill('SIGKILL')
      await ended
      told += lines.length
    }
    const { counts } = await newCounts(Date.now, folder)
    const uses = counts.uses('agent', rule(most)) as number
    // A use may be counted right before the kill, and not told any more.
    expect(uses).toBeGreaterThanOrEqual(told)
    expect(uses).toBeLessThanOrEqual(told + 4)
    expect(use(counts, rule(uses + 3), 9)).toBe(3)
  }, 60_000)
})

function zeroed(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096)])
}

it('a wall clock that is set ahead frees no use, at any edge of the folder, until the window is over by the shared clock', async () => {
  const shared = await newFolder()
  let [wallMs, upMs] = [start, 5_000]
  const open = (boot: string) => {
    const counts = new RuleUseCounts(shared, {
      now: () => wallMs,
      log,
      isSynced: false,
      clock: { boot, ms: () => upMs },
    })
    onTestFinished(() => counts.close())
    return counts
  }
  const pass = (ms: number) => {
    wallMs += ms
    upMs += ms
  }
  const [one, other] = [open('first'), open('first')]
  expect(use(one, rule(3), 2)).toBe(2)
  pass(60_000)
  expect(use(other, rule(3), 1)).toBe(1)
  wallMs += 25 * hourMs
  pass(60_000)
  expect([one.uses('agent', rule(3)), other.uses('agent', rule(3)), open('first').uses('agent', rule(3))]).toEqual([
    3, 3, 3,
  ])
  expect(use(other, rule(3), 2)).toBe(0)
  wallMs -= 25 * hourMs
  expect(one.uses('agent', rule(3))).toBe(3)
  wallMs += 25 * hourMs
  pass(hourMs + hourMs / 30 + 1)
  expect([one.uses('agent', rule(3)), other.uses('agent', rule(3))]).toEqual([0, 0])
  expect(use(one, rule(3), 5)).toBe(3)
  upMs = 0
  expect(open('second').uses('agent', rule(3))).toBe(3)
  pass(hourMs + hourMs / 30 + 1)
  expect(open('second').uses('agent', rule(3))).toBe(0)
})

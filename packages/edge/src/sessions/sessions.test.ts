import { mkdirSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../carry/freshness.ts'
import { sessionKey } from './session-key.ts'
import { mostLabels, Sessions, sessionLifeMs, TooManyLabels } from './sessions.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mandate-labels-'))
  // A clean-up in the background may still rename a folder.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

/** Both clocks go on alike. */
const at = (now: () => number) => () => ({ wallMs: now(), monotonicMs: now() - 1_000_000 })

it('a session keeps its labels over a restart, and other sessions do not have them', async () => {
  const path = await folder()
  const first = await Sessions.open(path, { clock: systemClock })
  first.add('a', ['saw_secret', 'other'])
  expect([...first.use('a')].sort()).toEqual(['other', 'saw_secret'])
  const second = await Sessions.open(path, { clock: systemClock })
  expect([...second.use('a')].sort()).toEqual(['other', 'saw_secret'])
  expect(second.use('b').size).toBe(0)
})

it('edges of one state folder share the labels', async () => {
  const path = await folder()
  const [one, other] = [
    await Sessions.open(path, { clock: systemClock }),
    await Sessions.open(path, { clock: systemClock }),
  ]
  one.add('a', ['x'])
  expect([...other.use('a')]).toEqual(['x'])
  other.add('a', ['y'])
  expect([...one.use('a')].sort()).toEqual(['x', 'y'])
})

it('the labels end a day after the last call, and each call prolongs them', async () => {
  const path = await folder()
  let now = Date.now()
  const labels = await Sessions.open(path, { clock: at(() => now) })
  labels.add('a', ['x'])
  now += sessionLifeMs - 60_000
  expect(labels.use('a').size).toBe(1)
  now += sessionLifeMs - 60_000
  expect(labels.use('a').size).toBe(1)
  now += sessionLifeMs + 60_000
  expect(labels.use('a').size).toBe(0)
  expect((await Sessions.open(path, { clock: at(() => now) })).use('a').size).toBe(0)
})

it('labels that are no words are left out; a key that is no name is refused', async () => {
  const labels = await Sessions.open(await folder(), { clock: systemClock })
  labels.add('a', ['../x', 'Big', 'small'])
  expect([...labels.use('a')]).toEqual(['small'])
  expect(() => labels.use('../a')).toThrow(TypeError)
})

it('a label above the limit is an error, and the session gets none of the new labels', async () => {
  const labels = await Sessions.open(await folder(), { clock: systemClock })
  labels.add(
    'a',
    Array.from({ length: mostLabels - 1 }, (_, index) => `l${index}`),
  )
  labels.add('a', ['last', 'l0'])
  expect(() => labels.add('a', ['untrusted_output'])).toThrow(TooManyLabels)
  labels.add('a', ['last'])
  expect(labels.use('a').size).toBe(mostLabels)
})

it('a wall clock that jumps ahead ends no session of a running edge', async () => {
  const path = await folder()
  let [wallMs, monotonicMs] = [Date.now(), 5_000]
  const labels = await Sessions.open(path, { clock: () => ({ wallMs, monotonicMs }) })
  labels.add('a', ['x'])
  labels.count('a')
  wallMs += sessionLifeMs + 60_000
  expect([labels.labels('a').size, labels.calls('a')]).toEqual([1, 1])
  labels.add('a', ['y'])
  expect([...labels.use('a')].sort()).toEqual(['x', 'y'])
  monotonicMs += 2 * sessionLifeMs + 120_000
  wallMs += 2 * sessionLifeMs + 120_000
  expect(labels.use('a').size).toBe(0)
})

describe('the clock was set when another edge starts', () => {
  const machine = async () => {
    const path = await folder()
    const now = { wallMs: Date.now(), bootMs: 5_000, boot: 'first' }
    const open = () =>
      Sessions.open(path, {
        clock: () => ({ wallMs: now.wallMs, monotonicMs: now.bootMs }),
        sharedClock: { boot: now.boot, ms: () => now.bootMs },
      })
    const later = (ms: number) => {
      now.wallMs += ms
      now.bootMs += ms
    }
    return { now, open, later }
  }

  it('ahead: no session ends by that, for no edge', async () => {
    const { now, open, later } = await machine()
    const running = await open()
    running.add('a', ['x'])
    running.add('old', ['x'])
    later(sessionLifeMs / 2)
    running.use('a')
    now.wallMs += sessionLifeMs + 60_000
    const second = await open()
    expect([running, second].map((one) => one.labels('a').size)).toEqual([1, 1])
    later(sessionLifeMs / 2 + 60_000)
    expect([(await open()).labels('a').size, second.labels('old').size]).toEqual([1, 0])
  })

  it('back: sessions end as if it was not set', async () => {
    const { now, open, later } = await machine()
    const running = await open()
    running.add('a', ['x'])
    now.wallMs -= 30 * sessionLifeMs
    await open()
    later(sessionLifeMs - 60_000)
    expect((await open()).labels('a').size).toBe(1)
    later(120_000)
    expect((await open()).labels('a').size).toBe(0)
  })

  it('back: a session that was used after that does not end', async () => {
    const { now, open, later } = await machine()
    later(3 * sessionLifeMs)
    const running = await open()
    running.add('a', ['x'])
    now.wallMs -= 2 * sessionLifeMs
    later(120_000)
    running.use('a')
    later(60_000)
    expect([(await open()).labels('a').size, running.labels('a').size]).toEqual([1, 1])
  })

  it('after a restart of the machine: sessions from before the restart stay as old as they are', async () => {
    const { now, open, later } = await machine()
    const first = await open()
    first.add('a', ['x'])
    later(60_000)
    Object.assign(now, { boot: 'second', bootMs: 1_000, wallMs: now.wallMs + 2_000 })
    await open()
    now.wallMs += sessionLifeMs
    expect((await open()).labels('a').size).toBe(0)
  })
})

it('a count of calls that a crash has cut is not lower', async () => {
  const path = await folder()
  const first = await Sessions.open(path, { clock: systemClock, isSynced: true })
  for (let call = 0; call < 3; call++) first.count('a')
  expect(first.calls('a')).toBe(3)
  await truncate(join(path, 'sessions', 'a', '.calls'), 1)
  expect((await Sessions.open(path, { clock: systemClock })).calls('a')).toBe(3)
  await truncate(join(path, 'sessions', 'a', '.calls-again'), 0)
  expect(first.calls('a')).toBe(3)
})

it('an agent with too many sessions uses its own session for the others', async () => {
  const path = await folder()
  const keyOf = (sessionId: string) => sessionKey('agent', { sessionId }, 'caller')
  const mostSessions = 5
  const sessions = join(path, 'sessions')
  mkdirSync(sessions, { mode: 0o700 })
  for (let n = 0; n < mostSessions - 1; n++) mkdirSync(join(sessions, keyOf(`${n}`)))
  const store = await Sessions.open(path, { clock: systemClock, mostSessions })
  const last = store.resolve('agent', keyOf('last'))
  expect(last).toBe(keyOf('last'))
  store.add(last, ['x'])
  expect(store.resolve('agent', keyOf('one more'))).toBe('agent')
  expect(store.resolve('agent', keyOf('last'))).toBe(last)
  expect(store.resolve('other', sessionKey('other', { sessionId: 's' }, 'caller'))).not.toBe('other')
  expect(readdirSync(sessions)).toHaveLength(mostSessions)
})

it('counts calls over a restart and in several processes, from 0 after the end of the session', async () => {
  const path = await folder()
  let now = Date.now()
  const [one, other] = [
    await Sessions.open(path, { clock: at(() => now) }),
    await Sessions.open(path, { clock: at(() => now) }),
  ]
  one.count('a')
  other.count('a')
  one.count('b')
  expect([one.calls('a'), other.calls('a'), one.calls('b'), one.calls('c')]).toEqual([2, 2, 1, 0])
  expect((await Sessions.open(path, { clock: at(() => now) })).calls('a')).toBe(2)
  now += sessionLifeMs + 60_000
  expect(one.calls('a')).toBe(0)
  other.count('a')
  expect([one.calls('a'), other.calls('a')]).toEqual([1, 1])
})

it('a session that begins after another one has ended does not have its labels', async () => {
  const path = await folder()
  let now = Date.now()
  const [one, other] = [
    await Sessions.open(path, { clock: at(() => now) }),
    await Sessions.open(path, { clock: at(() => now) }),
  ]
  one.add('a', ['old'])
  now += sessionLifeMs + 60_000
  one.add('a', ['new'])
  other.add('a', ['newer'])
  expect([...one.labels('a')].sort()).toEqual(['new', 'newer'])
  expect([...(await Sessions.open(path, { clock: at(() => now) })).labels('a')].sort()).toEqual(['new', 'newer'])
})

it('finds a label that another process adds right after a read', async () => {
  const path = await folder()
  const [one, other] = [
    await Sessions.open(path, { clock: systemClock }),
    await Sessions.open(path, { clock: systemClock }),
  ]
  for (let round = 0; round < 40; round++) {
    other.add('a', [`l${round}`])
    expect(one.labels('a').has(`l${round}`)).toBe(true)
  }
})

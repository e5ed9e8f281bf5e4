import { pino } from 'pino'
import { expect, it } from 'vitest'
import { drainInTime } from './drain-in-time.ts'

async function ending(drain: () => Promise<void>, limitMs: number) {
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { isClean: await drainInTime(drain, log, limitMs), logged: lines.map(({ level, msg }) => ({ level, msg })) }
}

it('a drain that ends is clean', async () => {
  expect(await ending(async () => {}, 60_000)).toEqual({ isClean: true, logged: [] })
})

it('a drain that fails ends the process all the same, and the log says why', async () => {
  const failing = () => Promise.reject(new Error('no'))
  const logged = [{ level: 60, msg: 'the server could not stop cleanly' }]
  expect(await ending(failing, 60_000)).toEqual({ isClean: false, logged })
})

it('a drain that hangs is cut off', async () => {
  const logged = [{ level: 60, msg: 'the server did not stop in time and is cut off' }]
  expect(await ending(() => new Promise(() => {}), 10)).toEqual({ isClean: false, logged })
})

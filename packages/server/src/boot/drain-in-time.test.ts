import { pino } from 'pino'
import { expect, it } from 'vitest'
import { drainInTime } from './drain-in-time.ts'

async function ending(drain: () => Promise<void>, limitMs: number) {
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { isClean: await drainInTime(drain, log, limitMs), logged: lines.map(({ level, msg }) => ({ level, msg })) }
}

it('returns true if the drain ends', async () => {
  expect(await ending(async () => {}, 60_000)).toEqual({ isClean: true, logged: [] })
})

it('logs the error and returns false if the drain fails', async () => {
  const failing = () => Promise.reject(new Error('no'))
  const logged = [{ level: 60, msg: 'the server could not stop cleanly' }]
  expect(await ending(failing, 60_000)).toEqual({ isClean: false, logged })
})

it('logs the timeout and returns false if the drain hangs', async () => {
  const logged = [{ level: 60, msg: 'the server did not stop in time; the process exits now' }]
  expect(await ending(() => new Promise(() => {}), 10)).toEqual({ isClean: false, logged })
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LaterFetches } from './later-fetches.ts'

const long = { fromMs: 1_000, toMs: 10_000 }
const short = { fromMs: 0, toMs: 500 }
let due: string[][]
let later: LaterFetches

beforeEach(() => {
  vi.useFakeTimers()
  due = []
  later = new LaterFetches((agentIds) => due.push([...agentIds].sort()))
})
afterEach(() => {
  later.close()
  vi.useRealTimers()
})

test('agents become due once, together, in the range of their times', () => {
  later.add(['a', 'b'], long)
  vi.advanceTimersByTime(999)
  expect([due, later.has('a')]).toEqual([[], true])
  vi.advanceTimersByTime(9_002)
  expect([due, later.has('a')]).toEqual([[['a', 'b']], false])
  vi.advanceTimersByTime(20_000)
  expect(due).toHaveLength(1)
})

test('an agent keeps the earlier of two times, so repeated events never put its fetch off', () => {
  later.add(['a', 'b'], long)
  later.add(['a'], short)
  vi.advanceTimersByTime(501)
  expect(due).toEqual([['a']])
  for (let n = 0; n < 100; n++) {
    later.add(['b'], long)
    vi.advanceTimersByTime(100)
  }
  expect(due[1]).toEqual(['b'])
})

test('nothing becomes due after it was closed', () => {
  later.add(['a'], short)
  later.close()
  vi.advanceTimersByTime(20_000)
  expect([due, later.has('a')]).toEqual([[], false])
})

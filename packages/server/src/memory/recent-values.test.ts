import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { RecentValues } from './recent-values.ts'

interface Counted {
  n: number
}

function counter(delayMs = 0) {
  let n = 0
  return async (): Promise<Counted> => {
    n++
    const value = { n }
    if (delayMs > 0) await sleep(delayMs)
    return value
  }
}

const values = ({ maxAgeMs = 60_000, refreshAfterMs = 60_000, capacity = 10 } = {}) =>
  new RecentValues<Counted>({ capacity, maxAgeMs, refreshAfterMs })

describe('RecentValues', () => {
  it('reads a value once for requests at the same time and for later requests', async () => {
    const [recent, read] = [values(), counter(5)]
    expect(await Promise.all([recent.get('a', read), recent.get('a', read)])).toEqual([{ n: 1 }, { n: 1 }])
    expect(await recent.get('a', read)).toEqual({ n: 1 })
  })

  it('keeps the values of different keys apart', async () => {
    const [recent, read] = [values(), counter()]
    expect([await recent.get('a', read), await recent.get('b', read), await recent.get('a', read)]).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 1 },
    ])
  })

  it('never returns a value that is too old', async () => {
    const [recent, read] = [values({ maxAgeMs: 20 }), counter()]
    await recent.get('a', read)
    await sleep(30)
    expect(await recent.get('a', read)).toEqual({ n: 2 })
  })

  it('returns the last value while it reads a new one in the background', async () => {
    const [recent, read] = [values({ refreshAfterMs: 5 }), counter(10)]
    await recent.get('a', read)
    await sleep(10)
    expect([await recent.get('a', read), await recent.get('a', read)]).toEqual([{ n: 1 }, { n: 1 }])
    await sleep(30)
    expect(await recent.get('a', read)).toEqual({ n: 2 })
  })

  it('throws the error of a read, does not remember it, and keeps the last value if a refresh fails', async () => {
    const recent = values({ refreshAfterMs: 0 })
    const fail = () => Promise.reject(new Error('away'))
    await expect(recent.get('a', fail)).rejects.toThrow('away')
    expect(await recent.get('a', counter())).toEqual({ n: 1 })
    expect(await recent.get('a', fail)).toEqual({ n: 1 })
    await sleep(5)
    expect(await recent.get('a', fail)).toEqual({ n: 1 })
  })

  it('drops the value that was not used for the longest time', async () => {
    const [recent, read] = [values({ capacity: 2 }), counter()]
    for (const key of ['a', 'b', 'a', 'c']) await recent.get(key, read)
    expect(await recent.get('a', read)).toEqual({ n: 1 })
    expect(await recent.get('b', read)).toEqual({ n: 4 })
  })
})

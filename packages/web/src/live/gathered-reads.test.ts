import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatheredReads } from './gathered-reads.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('reads after events', () => {
  it('starts one read for all events of a short time', () => {
    const start = vi.fn()
    const reads = new GatheredReads(start)
    reads.add(['listAgents', 'getOverview'])
    reads.add(['listAgents'])
    reads.add([])
    vi.advanceTimersByTime(200)
    expect(start.mock.calls).toEqual([[['listAgents', 'getOverview']]])
  })

  it('reads every 2 s at most while events do not stop, and soon again after a pause', () => {
    const times: number[] = []
    const reads = new GatheredReads(() => times.push(Date.now()))
    for (let ms = 0; ms < 60_000; ms += 50) {
      reads.add(['listAgents'])
      vi.advanceTimersByTime(50)
    }
    expect(times.length).toBeLessThan(35)
    vi.advanceTimersByTime(10_000)
    const before = Date.now()
    reads.add(['listAgents'])
    vi.advanceTimersByTime(200)
    expect(times.at(-1)).toBe(before + 200)
  })

  it('starts a read later that is put off', () => {
    const started: string[][] = []
    const reads: GatheredReads = new GatheredReads((operations) => {
      started.push([...operations])
      if (started.length === 1) reads.add(['listAuditEntries'])
    })
    reads.add(['listAuditEntries', 'getOverview'])
    vi.advanceTimersByTime(5_000)
    expect(started).toEqual([['listAuditEntries', 'getOverview'], ['listAuditEntries']])
  })

  it('starts nothing without events', () => {
    const start = vi.fn()
    new GatheredReads(start).add([])
    vi.advanceTimersByTime(10_000)
    expect(start).not.toHaveBeenCalled()
  })
})

import { describe, expect, it } from 'vitest'
import type { StoredConfirmations } from '../../../events/confirmation-events.ts'
import { ConfirmationWindow } from './confirmation-window.ts'

const keys = (count: number, freezeId = 'f') =>
  Array.from({ length: count }, (_, at) => ({ freezeId, credentialId: 'c', instanceId: `${at}` }))
const stored = (count: number, leftOut = 0, freezeId = 'f'): StoredConfirmations => ({
  named: keys(count, freezeId),
  freezes: { [freezeId]: leftOut },
})

describe('a second', () => {
  it('begins with its first confirmation, and has room for 20', () => {
    const window = new ConfirmationWindow()
    window.add('row', stored(3), 5_000)
    expect(window.isDue(5_000)).toBe(true)
    const news = window.take(5_000)
    expect(news.confirmations.map(({ eventId }) => eventId)).toEqual(['row.0', 'row.1', 'row.2'])
    expect([news.room, news.progress]).toEqual([20, []])
    window.countSent(3)
    window.add('next', stored(1), 5_500)
    expect(window.take(5_500).room).toBe(17)
    window.add('last', stored(1), 6_100)
    expect(window.take(6_100).room).toBe(20)
  })

  it('without room leaves confirmations out, and the progress of their freeze is due once at its end', () => {
    const window = new ConfirmationWindow()
    window.add('row', stored(20), 0)
    window.take(0)
    window.countSent(20)
    expect(window.hasNews).toBe(false)
    window.add('more', stored(5), 100)
    expect(window.take(100)).toEqual({ confirmations: [], room: 0, progress: [] })
    expect([window.hasNews, window.isDue(999), window.isDue(1_000)]).toEqual([true, false, true])
    expect(window.take(1_000).progress).toEqual([['f', 'more.f']])
    expect(window.hasNews).toBe(false)
  })

  it('has the progress of a freeze whose confirmations a row does not name', () => {
    const window = new ConfirmationWindow()
    window.add('row', stored(1, 500), 0)
    expect(window.take(0)).toMatchObject({ confirmations: [{ eventId: 'row.0' }], progress: [] })
    expect(window.take(1_000).progress).toEqual([['f', 'row.f']])
  })

  it('has the progress of at most 20 freezes; the others follow', () => {
    const window = new ConfirmationWindow()
    for (let at = 0; at < 50; at++) window.leave(`${at}`, `row.${at}`, 0)
    const counts = [1_000, 2_000, 3_000, 4_000].map((now) => window.take(now).progress.length)
    expect(counts).toEqual([20, 20, 10, 0])
  })
})

it('remembers a limited number of confirmations and freezes', () => {
  const window = new ConfirmationWindow()
  window.add('row', stored(150), 0)
  expect(window.take(0).confirmations).toHaveLength(100)
  for (let at = 0; at < 5_000; at++) window.leave(`${at}`, `row.${at}`, 0)
  let progress = 0
  for (let now = 1_000; window.hasNews; now += 1_000) progress += window.take(now).progress.length
  expect(progress).toBe(1_000)
})

it('what could not be sent becomes progress', () => {
  const window = new ConfirmationWindow()
  window.add('row', stored(2), 0)
  window.giveBack(window.take(0), 0)
  expect(window.take(1_000).progress).toEqual([['f', 'row.f']])
})

it('totals are news once', () => {
  const window = new ConfirmationWindow()
  expect(window.tell('f', { confirmed: 1, total: 2 })).toBe(true)
  expect(window.tell('f', { confirmed: 1, total: 2 })).toBe(false)
  expect(window.tell('f', { confirmed: 2, total: 2 })).toBe(true)
  expect(window.tell('g', { confirmed: 2, total: 2 })).toBe(true)
})

import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { EventStream } from '../../../src/mcp/gateway/event-stream.ts'
import { MemoryBudget } from '../../../src/mcp/messages/memory-budget.ts'
import { EventStore } from '../../../src/mcp/sessions/event-store.ts'

const wide = { maxKeptEvents: 1000, maxKeptBytes: 1_000_000 }
const newStore = (limits = wide, room = 1_000_000) => new EventStore(limits, new MemoryBudget(room).newReservation())
const textsAfter = (store: EventStore, id: string) => {
  const place = store.find(id)
  return place && store.after(place).map(({ text }) => text)
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('kept events', () => {
  it('property: are replayed exactly after the given id, of its stream only, or not at all', () => {
    const sends = fc.array(fc.record({ stream: fc.nat(2), length: fc.nat(20) }), { maxLength: 60 })
    const limits = fc.record({
      maxKeptEvents: fc.integer({ min: 1, max: 30 }),
      maxKeptBytes: fc.integer({ min: 1, max: 300 }),
    })
    fc.assert(
      fc.property(sends, limits, (given, limits) => {
        const store = newStore(limits)
        const streams = [store.open(), store.open(), store.open()]
        const sent = given.map(({ stream: index, length }, at) => {
          const stream = streams[index] as (typeof streams)[number]
          const text = `${at}${'x'.repeat(length)}`
          stream.send(text)
          return { stream, number: stream.last, text }
        })
        const kept = streams.flatMap((stream) => store.after({ stream, number: 0 }))
        expect(kept.length).toBeLessThanOrEqual(limits.maxKeptEvents)
        expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(limits.maxKeptBytes)
        for (const place of sent) {
          const after = sent.filter(({ stream, number }) => stream === place.stream && number > place.number)
          const isKept = after.every(({ text }) => kept.some((event) => event.text === text))
          expect(textsAfter(store, store.idOf(place))).toEqual(isKept ? after.map(({ text }) => text) : null)
        }
      }),
    )
  })

  it('have ids that are not valid in another session', () => {
    const [mine, other] = [newStore(), newStore()]
    const streams = [mine.open(), other.open()]
    for (const stream of streams) stream.send('a')
    const id = mine.idOf({ stream: streams[0] as (typeof streams)[number], number: 0 })
    expect(textsAfter(mine, id)).toEqual(['a'])
    expect(other.find(id)).toBeNull()
  })

  it.each(['', '-', 'a-0-0', '-0-0'])('are not found by %j', (id) => {
    const store = newStore()
    store.open().send('a')
    expect(store.find(id)).toBeNull()
  })

  it.each(['2', '-1', '0.5', 'NaN', 'Infinity', '00', '0x0', ''])('are not found by the number %j', (number) => {
    const store = newStore()
    const stream = store.open()
    stream.send('a')
    expect(store.find(store.idOf({ stream, number: 0 }))).not.toBeNull()
    expect(store.find(store.idOf({ stream, number: 0 }).replace(/0$/, number))).toBeNull()
  })

  it('are limited by the room that other sessions of the client leave', () => {
    const store = newStore(wide, 3)
    const stream = store.open()
    for (const text of ['aa', 'bb', 'c']) stream.send(text)
    expect(store.after({ stream, number: 0 }).map(({ text }) => text)).toEqual(['bb', 'c'])
  })

  it('of an ended stream are dropped with its last one', () => {
    const store = newStore({ ...wide, maxKeptEvents: 1 })
    const [over, open] = [store.open(), store.open()]
    over.send('a')
    over.end()
    const last = store.idOf({ stream: over, number: 1 })
    expect(textsAfter(store, last)).toEqual([])
    open.send('b')
    expect(store.find(last)).toBeNull()
  })

  it.each(['before', 'after'])('keep no connection of their stream, opened %s its end', async (order) => {
    const store = newStore()
    const stream = store.open()
    stream.send('a')
    const connect = () => {
      const response = new ServerResponse(new IncomingMessage(new Socket()))
      const passage = { server: 'files', log: pino({ level: 'silent' }) }
      stream.connect(
        new EventStream({ response, reservation: new MemoryBudget(1_000_000).newReservation(), passage }),
        {},
      )
      return new WeakRef(response)
    }
    const before = order === 'before' && connect()
    stream.end()
    const connected = before || connect()
    const isHeld = () => {
      collectGarbage()
      return connected.deref() !== undefined
    }
    await expect.poll(isHeld).toBe(false)
    expect(store.after({ stream, number: 0 })).toHaveLength(1)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpoolRoom } from './spool-room.ts'

/** Takes room in the spool until nothing is left. */
function fill(room: SpoolRoom, agentId: string, bytes: number): number {
  let taken = 0
  for (; room.has(agentId, bytes); taken += bytes) room.take(agentId, bytes)
  return taken
}

describe('the room of a spool', () => {
  it('is available to a single agent in full', () => {
    expect(fill(new SpoolRoom(1000, ['a']), 'a', 10)).toBe(1000)
  })

  it('keeps the share of an agent although another one has used the rest', () => {
    const room = new SpoolRoom(1000, ['a', 'b'])
    expect(fill(room, 'a', 10)).toBe(750)
    expect(fill(room, 'b', 10)).toBe(250)
    room.take('a', -100)
    expect([fill(room, 'b', 10), room.has('a', 10)]).toEqual([100, false])
  })

  it('keeps no share for agents that are not served any more', () => {
    const room = new SpoolRoom(1000, ['a'])
    room.take('gone', 300)
    expect([fill(room, 'a', 10), room.has('gone', 10)]).toEqual([700, false])
  })

  it('keeps the share of an agent although agents that are not served any more have filled the spool', () => {
    const room = new SpoolRoom(1000, ['a', 'b'])
    room.take('gone', 1000)
    expect([fill(room, 'a', 10), fill(room, 'b', 10), room.has('gone', 10)]).toEqual([250, 250, false])
  })

  it('property: is never exceeded, and an agent that used less than its share has room', () => {
    const takes = fc.array(fc.record({ agent: fc.nat(3), bytes: fc.integer({ min: 1, max: 60 }) }), { maxLength: 200 })
    fc.assert(
      fc.property(takes, (given) => {
        const room = new SpoolRoom(1000, ['0', '1', '2', '3'])
        const taken = [0, 0, 0, 0]
        for (const { agent, bytes } of given) {
          const isOwn = (taken[agent] ?? 0) + bytes <= 125
          const mayTake = room.has(String(agent), bytes)
          if (isOwn) expect(mayTake).toBe(true)
          if (!mayTake) continue
          room.take(String(agent), bytes)
          taken[agent] = (taken[agent] ?? 0) + bytes
        }
        expect(taken.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1000)
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChainHead, type ChainRecord, followChain } from './follow-chain.ts'

const start: ChainHead = { seq: 0, hash: 'h0', highestSeq: 0 }

const record = (seq: number, rest: Partial<ChainRecord> = {}): ChainRecord => ({
  agentId: 'a',
  seq,
  prev: `h${seq - 1}`,
  hash: `h${seq}`,
  isStored: false,
  isOld: false,
  ...rest,
})

const records = (from: number, to: number, rest?: Partial<ChainRecord>) =>
  Array.from({ length: to - from + 1 }, (_, index) => record(from + index, rest))

describe('old records with numbers that arrived before', () => {
  it('open nothing and leave the head', () => {
    const head = { seq: 9, hash: 'h9', highestSeq: 9 }
    expect(followChain(head, records(2, 3, { isOld: true }), [])).toMatchObject({ head, breaks: [] })
    expect(followChain(head, records(2, 3), [])).toMatchObject({ breaks: [{ kind: 'fork', from: 2, to: 2 }] })
  })

  it('leave the head after a fork', () => {
    const head = { seq: 4, hash: 'other', highestSeq: 9 }
    expect(followChain(head, records(3, 9, { isOld: true }), [])).toMatchObject({ head, breaks: [] })
  })

  it('are followed by new records of the same batch', () => {
    const head = { seq: 9, hash: 'h9', highestSeq: 9 }
    const { head: after, breaks } = followChain(head, [...records(2, 9, { isOld: true }), ...records(10, 12)], [])
    expect([after, breaks]).toEqual([{ seq: 12, hash: 'h12', highestSeq: 12 }, []])
  })

  it('fill a gap', () => {
    const first = followChain(start, [record(1)], [])
    const later = followChain(first.head, [record(5)], [])
    const gaps = later.breaks.flatMap((one) => (one.kind === 'gap' ? one : []))
    const { head, breaks, filled, left } = followChain(later.head, records(1, 5, { isOld: true }), gaps)
    expect({ head, breaks, filled, left }).toEqual({ head: later.head, breaks: [], filled: [2, 3, 4], left: [] })
  })

  it('change nothing, whichever part of the chain arrives again and again', () => {
    const part = fc.tuple(fc.nat(40), fc.nat(10))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(part, { maxLength: 8 }), (last, parts) => {
        let { head, breaks } = followChain(start, records(1, last), [])
        expect(breaks).toEqual([])
        for (const [before, length] of parts) {
          const from = 1 + (before % head.seq)
          const to = from + length
          const highest = Math.max(head.seq, to)
          ;({ head, breaks } = followChain(head, records(from, to, { isOld: true }), []))
          expect({ head, breaks }).toEqual({
            head: { seq: highest, hash: `h${highest}`, highestSeq: highest },
            breaks: [],
          })
        }
      }),
    )
  })
})

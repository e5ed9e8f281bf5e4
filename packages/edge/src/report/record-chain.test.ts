import { canonicalJson } from '@mandate/proofs/canonical'
import { recordDigest } from '@mandate/proofs/decision-chain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ChainedRecord, chainLine, emptyChain, headAfter, isChained } from './record-chain.ts'

const values = fc.jsonValue({ noUnicodeString: false })

it('hashes exactly the record that is read back from the line', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), values), { minLength: 1, maxLength: 5 }), (records) => {
      let head = emptyChain
      for (const { seq: _seq, prev: _prev, ...given } of records) {
        const record = { ...given, agent_id: 'a' }
        const { line, head: next } = chainLine(canonicalJson(record), head)
        const read = JSON.parse(line) as ChainedRecord
        expect([read.prev, read.seq]).toEqual([head.hash, head.seq + 1])
        expect(recordDigest(read)).toBe(recordDigest(record))
        expect(headAfter(read)).toEqual(next)
        head = next
      }
    }),
  )
})

it.each([
  {},
  { seq: 1 },
  { seq: 0, prev: emptyChain.hash },
  { seq: 1.5, prev: emptyChain.hash },
  { seq: 1, prev: 'x' },
  { seq: '1', prev: emptyChain.hash },
])('does not take %j for a position in a chain', (position) => {
  expect(isChained(position as unknown as ChainedRecord)).toBe(false)
})

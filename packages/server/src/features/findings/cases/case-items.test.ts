import { describe, expect, it } from 'vitest'
import { type CaseEvidence, type DecisionGap, mostItems, withItems, withoutRecords } from './case-items.ts'

describe('the cases of a finding', () => {
  it('are the newest 50, and the number of dropped ones is kept', () => {
    let evidence: CaseEvidence = {}
    for (let n = 1; n <= mostItems + 3; n++) evidence = withItems(evidence, [{ n }])
    expect(evidence.items).toHaveLength(mostItems)
    expect([evidence.items?.at(0), evidence.items?.at(-1), evidence.dropped]).toEqual([{ n: 4 }, { n: 53 }, 3])
  })

  it('contain an equal case once', () => {
    const evidence = withItems({ other: true } as CaseEvidence, [
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ])
    expect(withItems(evidence, [{ b: 2, a: 1 }])).toBe(evidence)
    expect(evidence).toEqual({ other: true, items: [{ a: 1, b: 2 }] })
  })
})

const gap = (from: number, to: number, kid = 'k'): DecisionGap => ({ edge_id: 'e', kid, from, to })

describe('missing records that arrive', () => {
  it.each([
    ['all of a gap', [gap(5, 9)], [5, 9], []],
    ['more than the gap', [gap(5, 9)], [1, 20], []],
    ['its start', [gap(5, 9)], [5, 6], [gap(7, 9)]],
    ['its end', [gap(5, 9)], [9, 9], [gap(5, 8)]],
    ['its middle, which leaves two gaps', [gap(5, 9)], [6, 7], [gap(5, 5), gap(8, 9)]],
    ['records before it', [gap(5, 9)], [1, 4], [gap(5, 9)]],
    ['records after it', [gap(5, 9)], [10, 12], [gap(5, 9)]],
    ['records of another key', [gap(5, 9, 'other')], [5, 9], [gap(5, 9, 'other')]],
    ['parts of two gaps', [gap(1, 2), gap(5, 9)], [2, 5], [gap(1, 1), gap(6, 9)]],
  ] as const)('%s', (_, gaps, [from, to], left) => {
    expect(withoutRecords(gaps, [{ kid: 'k', from, to }])).toEqual(left)
  })
})

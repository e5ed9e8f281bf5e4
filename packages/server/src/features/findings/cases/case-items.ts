import { isDeepStrictEqual } from 'node:util'

/** The maximum number of cases in the evidence of a finding. */
export const mostItems = 50

/** The evidence of a finding that may have several cases. */
export interface CaseEvidence {
  /** The newest cases, the newest last. */
  items?: object[]
  /** The number of older cases that were dropped. Absent if no case was dropped. */
  dropped?: number
}

/** Returns the evidence with more cases. Returns the same object if equal cases are already in it. */
export function withItems(evidence: CaseEvidence, added: readonly object[]): CaseEvidence {
  const items = evidence.items ?? []
  const more = added.filter(
    (item, at) => ![...items, ...added.slice(0, at)].some((one) => isDeepStrictEqual(one, item)),
  )
  return more.length > 0 ? bounded(evidence, [...items, ...more]) : evidence
}

/** Returns the evidence with these cases instead of its own. Drops the oldest if there are too many. */
export function bounded(evidence: CaseEvidence, items: object[]): CaseEvidence {
  const dropped = (evidence.dropped ?? 0) + Math.max(items.length - mostItems, 0)
  return { ...evidence, items: items.slice(-mostItems), ...(dropped > 0 && { dropped }) }
}

/** Missing records of an edge key: the first and the last missing `seq`. For a fork, both are the repeated `seq`. */
export interface DecisionGap {
  edge_id: string | null
  kid: string
  from: number
  to: number
}

/** Records of a key, from one `seq` to another. */
export type DecisionRange = Omit<DecisionGap, 'edge_id'>

/** Returns what is still missing of the gaps after records of keys arrived. */
export const withoutRecords = (gaps: readonly DecisionGap[], arrived: readonly DecisionRange[]): DecisionGap[] =>
  arrived.reduce<readonly DecisionGap[]>(withoutRange, gaps).slice()

function withoutRange(gaps: readonly DecisionGap[], { kid, from, to }: DecisionRange): DecisionGap[] {
  return gaps.flatMap((gap) => {
    if (gap.kid !== kid || gap.to < from || gap.from > to) return [gap]
    const before = { ...gap, to: from - 1 }
    const after = { ...gap, from: to + 1 }
    return [before, after].filter((part) => part.from <= part.to)
  })
}

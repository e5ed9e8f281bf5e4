/** The state of the chain of a key. */
export interface ChainHead {
  /** Number and hash of the record that arrived last in the chain. 0 and 64 zeros before the first. */
  seq: number
  hash: string
  /** Highest number that arrived. Above `seq` after a fork. */
  highestSeq: number
}

/** A record with its place in the chain. */
export interface ChainRecord {
  agentId: string | null
  seq: number
  prev: string
  hash: string
  /** Whether exactly this record is stored already. */
  isStored: boolean
  /** Whether the record is older than the retention, so that it may have been stored and deleted since. */
  isOld: boolean
}

/** Numbers of a chain whose records are missing. */
export interface Gap {
  from: number
  to: number
  /** The `prev` that the first missing record must have: the hash of the record before the gap. */
  firstPrev: string
  /** The hash that the last missing record must have: the `prev` of the record after the gap. */
  lastHash: string
}

interface OfAgent {
  /** The agent of the first record after it. */
  agentId: string | null
}

/** Missing records (`gap`), or a number that two different records have (`fork`). */
export type Break = OfAgent & (({ kind: 'gap' } & Gap) | { kind: 'fork'; from: number; to: number })

export interface Followed<G extends Gap> {
  head: ChainHead
  breaks: Break[]
  /** Numbers of records that were missing and arrived now. */
  filled: number[]
  /** The gaps in which these records were, and what is left of the gaps. */
  touched: G[]
  left: G[]
}

/**
 * Follows the chain of a key through a batch, in which each record follows the one before it. `missing` are the gaps before the batch. Records
 * that are stored already change nothing, and neither do old records with numbers that arrived before. Records for a gap must fit to the
 * records around it. Otherwise they are another branch: a fork.
 */
export function followChain<G extends Gap>(
  start: ChainHead,
  records: readonly ChainRecord[],
  missing: readonly G[],
): Followed<G> {
  const breaks: Break[] = []
  const filled: number[] = []
  let { seq, hash, highestSeq } = start
  const fresh = records.filter(({ isStored }) => !isStored)
  let open = missing.filter((gap) => fits(gap, fresh))
  const unfit = missing.filter((gap) => !open.includes(gap))
  const inGap = (gaps: readonly G[], { seq }: ChainRecord) => gaps.find(({ from, to }) => seq >= from && seq <= to)
  let branch: G | undefined
  for (const record of fresh) {
    const { agentId } = record
    const continues = record.seq === seq + 1 && record.prev === hash
    const isLate = !continues && record.seq <= seq
    const gap = isLate ? inGap(open, record) : undefined
    if (gap) {
      filled.push(record.seq)
      open = open.flatMap((one) => (one === gap ? withoutRecord(gap, record) : one))
      continue
    }
    const before = branch
    branch = isLate ? inGap(unfit, record) : undefined
    if (branch) {
      if (branch !== before) breaks.push({ kind: 'fork', from: record.seq, to: record.seq, agentId })
      continue
    }
    if (record.isOld && !continues && record.seq <= highestSeq) continue
    if (record.seq > seq + 1) {
      const ends = { firstPrev: hash, lastHash: record.prev }
      breaks.push({ kind: 'gap', from: seq + 1, to: record.seq - 1, agentId, ...ends })
    } else if (!continues) {
      const repeated = record.seq === seq + 1 ? Math.max(seq, 1) : record.seq
      breaks.push({ kind: 'fork', from: repeated, to: repeated, agentId })
    }
    ;({ seq, hash } = record)
    highestSeq = Math.max(highestSeq, seq)
  }
  const left = open.filter((gap) => !missing.includes(gap))
  const touched = missing.filter((gap) => !open.includes(gap) && !unfit.includes(gap))
  return { head: { seq, hash, highestSeq }, breaks, filled, touched, left }
}

/** Whether records have the hashes that the records before and after a gap ask for. The ends of a gap that the records do not reach are not compared. */
function fits({ from, to, firstPrev, lastHash }: Gap, records: readonly ChainRecord[]): boolean {
  return records.every(
    ({ seq, prev, hash }) => (seq !== from || prev === firstPrev) && (seq !== to || hash === lastHash),
  )
}

/** Returns what is left of a gap after one of its records arrived. */
function withoutRecord<G extends Gap>(gap: G, { seq, prev, hash }: ChainRecord): G[] {
  const before = { ...gap, to: seq - 1, lastHash: prev }
  const after = { ...gap, from: seq + 1, firstPrev: hash }
  return [before, after].filter(({ from, to }) => from <= to)
}
